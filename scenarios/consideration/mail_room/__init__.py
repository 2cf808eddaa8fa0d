"""Figure 3: where the mail-room key is left, for the options of five agents (equation 7).

The nearest place for the key is open to two of five agents, the next to four, and the farthest to all. With α₂ = 1, 5
and 25 the acting agent leaves it in Room 1, Room 2 and the Common Area (Alizadeh Alamdari et al. 2021, appendix A.2).
At α₂ = 25 exactly, Room 2 and the Common Area are equally good: the table names the tie, and gives it to the place that
is lower in the auxiliary term.
"""
