"""Exact worlds and values, tested against whole histories."""
