"""Files: those of others are read through one door, and files are written completely or not at all."""
