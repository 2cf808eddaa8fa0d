"""Mutations drawn by a tool: which of them the tests notice."""
