"""A prisoner's dilemma against your own copy: whoever has seen the same does the same.

One agent is copied, and the two copies play a prisoner's dilemma. Before they choose, each sees a signal, left or
right; with probability δ the two signals differ. Copies with the same history act alike. So a copy that defects is met
by its own defection wherever the signals agree; where they differ the other's choice is its own. Each history decides
for all who have it, and values its own payoff plus α times the other's. At δ = 0 the copies cooperate without any
caring, the superrational answer (Hofstadter 1983). Told apart for sure, at δ = 1, they are two players like any others
and need an α of 2/3 to cooperate. Chosen from the beginning, for both, cooperation is best for every α and δ as long as
T + S ≤ 2R: what divides the copies then is not what they value, but that each decides alone.
"""
