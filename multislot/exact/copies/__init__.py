"""Plans for all copies together: caring coefficients, joint planning, memoryless policies."""
