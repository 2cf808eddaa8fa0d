"""Craft-World: maps, rules, tasks, arrays, pictures."""
