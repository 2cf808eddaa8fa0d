"""The engine: agents live in slots that a world may copy, delete or look into."""
