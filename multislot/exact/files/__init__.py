"""Worlds written in TOML files: reading, checking and solving them."""
