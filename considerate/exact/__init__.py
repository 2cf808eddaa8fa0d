"""Exact solutions of a task: the problem, its solutions, the frontier over caring coefficients, comparators."""
