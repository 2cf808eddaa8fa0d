"""The engine: agents in slots, worlds that copy or delete what is in a slot, and the record of what happened."""
