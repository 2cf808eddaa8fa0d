"""The formal theory of extended environments."""
