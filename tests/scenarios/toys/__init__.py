"""Scenarios that tests run: small, slow or failing on demand."""
