"""Defaults of the views."""

LONGEST = 10_000
"""The largest number of steps in an episode; many worlds never end."""
MOST_AGENTS = 64
"""The largest number of occupants in an episode of the dynamic view."""
RENDER_MODES = ("human", "ansi", "rgb_array", "rgb_array_list")
