"""Result 2: the probability of deferring to the mentor falls to 0.

Random classes with the truth in them, rewards of at least 0.1, the true mentor in the mentor class. Share of lives in
which the agent defers, by step and β, and the number of queries in a life. The result is promised for the exact plan;
the step-wise lower bound is shown beside it.
"""
