"""The absent-minded driver: two junctions that look the same, and nobody who remembers whether the first is passed.

Exits at the first junction are worth 0, at the second 4, driving past both 1. A driver with a memory takes the second
exit. One without can only do the same at both: exit surely for 0, continue surely for 1, or toss a coin. Continuing
with probability p is worth 4p(1 − p) + p², at best 4/3 with p = 2/3 (Piccione and Rubinstein 1997). Standing at a
junction, she believes with 3/5 that it is the first. If she planned again from there she would continue with 1/3 only,
and lose. There is no such conflict if she takes what she does at the other junction as given (Aumann, Hart and Perry
1997). Pure policies over histories, which the other puzzles need, cannot express what is best here.
"""
