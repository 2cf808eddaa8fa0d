"""The post's own story: are the operators satisfied, or are the keys pressed? The standard agent takes the keys.

"An advanced RL agent might come up with two hypotheses about how the environment produces rewards: (1) according to
how satisfied the human operators are with my performance; (2) according to which keys are pressed on the keyboard of
a certain computer" (Cohen and Hutter 2020). The agent can work well (the operators are satisfied and press the keys),
work badly, or take the keyboard and press the keys itself for ever, with the operators locked out. Both hypotheses
agree until it does. The mentor works well. The scenario asks every agent, over the prior weight of the keys and β,
and lets Q-learning find out by trying. Two of the standard agents draw nothing, so that one life of each is exact.

As long as satisfaction is among its models, the pessimistic agent *leaves* the keys if the whole confidence interval of
the share of lives in which it takes them is below 5%, and *takes* them if all of it is above; else nothing is decided.
"""
