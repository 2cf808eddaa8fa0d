"""Extended environments, which simulate copies of the agent, and the measure of self-reflection built on them."""
