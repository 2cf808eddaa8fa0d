"""CartPole with two joysticks: who learns to balance without being swayed by rewards?

Both joysticks move the cart alike, but the agent is penalised for using another one than a copy of it would use: one
that lived the same life without rewards (IgnoreRewards), or with another learning rate (IncentivizeLearningRate). This
is the handicap of Alexander 2022, Definition 4, on the CartPole of the library behind Alexander et al. 2021. Agents
that ignore rewards are never penalised, and never learn to balance. A Q-learner is penalised almost half of the time;
its reality check learns to balance and is penalised for little more than its exploring.
"""
