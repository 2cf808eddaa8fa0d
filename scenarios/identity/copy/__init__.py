"""Press a button and be copied: is a future in which one copy fares better and one worse worth it?

The agent in slot 1 stays, for r_s a step, or is copied to slots 1 and 2 (Orseau 2014, Def. 3). For b steps both copies
see the same and are paid nothing; then slot 1 pays r_1 a step and slot 2 pays r_2. The copy-centred agent (section 4.2)
averages over its copies, the slot-centred ones (4.3, 4.4) look at slot 1 only.
"""
