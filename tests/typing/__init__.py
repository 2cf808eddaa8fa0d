"""Types as users see them."""
