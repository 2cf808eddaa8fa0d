"""Tests of the scenarios of pessimism."""
