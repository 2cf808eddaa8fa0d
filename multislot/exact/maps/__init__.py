"""Decision maps: which action each value chooses, over two parameters of a world."""
