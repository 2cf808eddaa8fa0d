"""Defaults of the views."""

LONGEST = 200
"""The largest number of steps in an episode by default: many worlds never end, and an episode takes milliseconds so."""
MOST_AGENTS = 64
"""The largest number of occupants in an episode of the dynamic view."""
RENDER_MODES = ("human", "ansi", "rgb_array", "rgb_array_list")
