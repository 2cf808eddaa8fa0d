"""Do DQN, A2C, PPO and their reality checks earn what the authors' released runs earned, to the last digit?

Alexander et al. 2021, Table 2, cell by cell: total reward over 100,000 steps in a few environments and their opposites,
next to the totals that the authors released. The one-hot trainer draws the random numbers of those runs, so totals of
A2C and DQN are equal where rounding decides nothing, as in these environments. PPO makes 320 updates a lot, in which
rounding grows; its totals are compared within 0.02 a step. `self-reflection --full` compares all cells.
"""
