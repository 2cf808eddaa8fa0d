"""The environments of the library behind Alexander et al. 2021, grouped by the question they ask."""
