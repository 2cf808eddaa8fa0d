"""Who is awake, and what is a copy to its copies? Anthropic puzzles decided from the beginning (Armstrong 2011)."""
