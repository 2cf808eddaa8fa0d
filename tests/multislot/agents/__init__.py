"""Tests of the agents that more than one package uses."""
