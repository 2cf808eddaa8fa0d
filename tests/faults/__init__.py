"""Planted faults: a table of mistakes in the engine, and which scenario notices each."""
