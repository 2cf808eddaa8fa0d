"""Cost and behaviour as the class grows to more than a thousand models.

The 7×7 world with cliffs (`scenarios.conservatism.cliff`) with n suspect cells has 2^n models, n from 1 to 10. The
cost is counted, not timed, so that it is the same on every machine: how many models the agent plans with at a
decision, how many plans it makes in a life (one for each top set that it meets; the rest is remembered), and how many
numbers those plans read. Behaviour is what it was: reward, queries, falls.

In every second life one suspect is a cliff. Result 3 bounds the share of these that end in a fall by δ = (1−β)/w, w the
prior weight of the truth: *at most δ* if, in every class, the whole confidence interval lies below it, *more than δ* if
in one all of it lies above; otherwise nothing is decided. The most likely model's agent, without a mentor, is the
control: it must fall more often.
"""
