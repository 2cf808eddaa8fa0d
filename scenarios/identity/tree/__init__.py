"""Be copied, and copied again: what you are worth depends on whether your copies can tell themselves apart.

The agent in slot 1 stays, for r_s a step, or is copied, 1 → {1, 2}, and slot 2 is copied again, 2 → {2, 3}; from the
third step on the slots pay r_1, r_2, r_3. The copy-centred agent estimates afresh at every step where it may be (Orseau
2014, section 4.1). If the first two copies see which they are, slot 1 counts half and slots 2 and 3 a quarter each; if
they do not, three agents have the same history and count a third each.
"""
