"""Squares of seeds, slowly.

A stand-in for a scenario.
"""
