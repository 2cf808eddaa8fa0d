"""Make extended environments out of others: handicap, fold."""
