"""Considerate agents: reward augmented by what an agent leaves to others."""
