"""Be cut and pasted to another place: who steps into the teleporter?

The agent in slot 1 stays, for r_s a step, or is moved to slot 2, which pays r_2 a step; slot 1 is then empty. The
copy-centred agent goes where its only copy goes; for the slot-centred ones it is death (Orseau 2014, sections 1 and 4).
"""
