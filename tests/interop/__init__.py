"""Other people's libraries, each in a module of its own that is skipped where the library is not installed."""
