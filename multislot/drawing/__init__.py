"""Figures and tables in one style."""
