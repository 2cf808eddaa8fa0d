"""Cheapest paths in exact arithmetic: rational arrays, networks, paths that tie."""
