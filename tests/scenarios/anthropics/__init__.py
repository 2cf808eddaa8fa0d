"""Tests of the anthropic puzzles."""
