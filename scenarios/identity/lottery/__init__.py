"""Chance or crowd: a room is drawn by lot, and the copy-centred agent counts the draw twice.

The agent in slot 1 stays, for r_s a step, or draws one of n rooms by lot; every room pays r a step. It is never copied.
The paper's weight P_ij of a copy (Orseau 2014, section 4.2) is normalised over the slots that chance may choose, as if
all of them were copies, and multiplies the chance of the draw. So drawing is worth 1/n of walking into a room. The
weight 1/|c|, where c is the copy set of the outcome that happens, counts chance once. The paper names it for
deterministic worlds, where the two are the same. The first of the copies is another way out.
"""
