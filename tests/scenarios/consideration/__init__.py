"""The scenarios on being considerate."""
