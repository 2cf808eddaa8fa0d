"""What the papers do not ask: studies of our own on their definitions, and experiments that join them."""
