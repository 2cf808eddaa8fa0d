"""Who is the future me? Thought experiments on copying, moving and deleting agents (Orseau 2014)."""
