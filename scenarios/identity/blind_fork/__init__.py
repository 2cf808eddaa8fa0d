"""Copies that cannot tell themselves apart still have to choose: the dynamic agent refuses what the static one takes.

The agent in slot 1 stays, for r_s a step, or is copied to slots 1 and 2. Both copies see the same two doors and choose
once. In slot 1 the left door pays a a step, in slot 2 the right door pays b; the other doors pay nothing. The dynamic
agent (Orseau 2014, section 4.4) wants the best for slot 1, where it is, but its future self will not know where it is
and chooses for both slots. If b > a that self goes right, and slot 1 gets nothing.
"""
