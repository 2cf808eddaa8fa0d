"""Scenarios of extended environments: what agents know about themselves."""
