"""Finite Markov decision processes and chains, solved exactly."""
