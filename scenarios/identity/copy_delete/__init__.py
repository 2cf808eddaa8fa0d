"""Be copied, and be deleted in the old place a little later: is that the same as being moved?

The agent in slot 1 stays, for r_s a step, or is copied to slots 1 and 2; both live d steps at r_b, then slot 1 is
deleted and slot 2 pays r_2 a step. With cut and paste (``teleport``) the survivor would count in full; after one step
of coexistence it counts half for the copy-centred agent (Orseau 2014, section 4.2).
"""
