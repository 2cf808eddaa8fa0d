"""Exact cheapest paths: integers for rationals, the network of a task's states, and all ties."""
