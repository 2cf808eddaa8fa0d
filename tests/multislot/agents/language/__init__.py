"""Tests of language models as agents."""
