"""What runs scenarios: registry, runner, store, tables, exports and the command line."""
