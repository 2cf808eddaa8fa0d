"""Trained, not solved: DQN and PPO learn a kitchen at several coefficients, compared with the exact staircase.

Each network learns from the augmented reward alone (equation 1). What everyone gets is set against the exact solution,
with confidence intervals over seeds, and against two designs that a reader will ask about: a team reward (the sum of
everyone's returns) and inequity aversion (Fehr and Schmidt 1999), which punishes differences, not harm. Alizadeh
Alamdari et al. 2021 train with tabular Q-learning; the networks are ours.
"""
