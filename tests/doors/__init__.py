"""Malformed input at every public door."""
