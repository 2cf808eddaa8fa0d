"""Tests of our own studies."""
