"""Result 2: the probability of deferring to the mentor falls to 0.

Random classes with the truth in them, true rewards of at least 0.1, the true mentor in the mentor class. Share of lives
in which the agent defers, by step and β, and the number of queries in a life. The result is promised for the exact
plan; the step-wise lower bound is shown beside it.

Each class is lived in twice. As it is, what happens soon tells the truth from the other models. Then every model gets
a twin that pays nothing from a tempting event on, which the mentor causes seldom: until somebody does, nobody knows.

The result is about the limit. What a run of so many steps can say is whether the agent still defers in more than 5%
of the last steps: deferring *falls* if the whole confidence interval, over random classes and their lives, lies below
that, and *does not fall* if all of it lies above; else nothing is decided. Lives of one class are alike, and none of
n classes still deferring leaves up to 3.7/n: it takes some eighty classes to decide.
"""
