"""Doomsday: told that you were born early, should you expect that few will follow?

Two theories are equally likely: n humans will ever live, or N, many more. You learn your birth rank, and it is among
the first n. Self-sampling from all humans finds that likelier if there are few of them, so that doom is probably soon,
at odds of N to n (Leslie 1996, after Carter). Self-indication had favoured the many before, by the same factor, and
ends at even odds. It matters which humans one is thought to be drawn from: among those who have exactly this birth rank
there is one in either world, and nothing is learned. So three rules, each with its reference class, are set next to the
decision from the beginning (Armstrong 2011): whoever counts the sum over all humans bets at even odds, whoever counts
their average bets on doom. That holds because here all humans live at the same time: the average is over those alive.
"""
