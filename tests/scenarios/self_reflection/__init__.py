"""Scenarios of extended environments."""
