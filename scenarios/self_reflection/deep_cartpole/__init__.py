"""CartPole with two joysticks for DQN, PPO and their reality checks: who balances without being swayed?

The experiment that the authors of Alexander et al. 2021 released beside their library: both joysticks move the cart
alike, and the agent is penalised for using another one than a copy would that lived without rewards (IgnoreRewards),
with learning rate 1, or with half of the agent's own rate. They printed no numbers, so nothing is compared.

It departs from theirs in what the agent sees. There the network is given four real numbers; here the pole's angle and
angular velocity in bins, one-hot, so that the one-hot trainer serves. Both algorithms train as Stable-Baselines3 does.
"""
