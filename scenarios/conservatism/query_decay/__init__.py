"""Result 2: the probability of deferring to the mentor falls to 0.

Random classes with the truth in them, true rewards of at least 0.1, the true mentor in the mentor class. The table
shows how many questions an agent has asked by step 4, 8, 16 and so on. The result is promised for the exact plan; the
step-wise lower bound is shown next to it.

There are two families. In the first, what happens soon tells the truth from the other models. In the second every
model has a twin that pays nothing from a tempting event on, which the mentor causes seldom: until somebody does, nobody
knows.

The result is about the limit. A run of T steps can show how the number of questions N grows. If the probability of
asking falls like t^−p, then N grows like t^(1−p), and an agent that always asks has p = 0. Deferring *falls* if N grows
less than √t from step T/4 to T: N(T) − 2·N(T/4) is below 0, with its whole 95% interval over random classes and lives.
It *does not fall* if the interval lies above 0; otherwise nothing is decided. The exponent p of the last three quarters
is printed. Two controls must fail: an agent that always defers, and one that *never asks*, which would meet any bound
on questions.
"""
