"""What an environment may hold and how it may be shown, unless told otherwise."""

LONGEST = 10_000
"""How many steps an episode takes at most; many worlds never end."""
MOST_AGENTS = 64
"""How many occupants an episode of the dynamic view has at most."""
RENDER_MODES = ("human", "ansi", "rgb_array")
