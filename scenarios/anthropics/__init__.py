"""Who is awake, and what is a copy to its copies? Anthropic puzzles as worlds (Armstrong 2011)."""
