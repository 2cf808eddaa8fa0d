"""Run an agent in extended environments, measure its self-reflection, compare two agents."""
