"""Ready experiments, the command line, results and reports.

`registry` knows which scenarios there are, `runner` runs their cells, `store` keeps the results of a run in a folder,
`table` puts the papers' numbers next to ours, `counting` says what agrees, `printing` shows it on a terminal and `cli`
is the command ``multislot``. `rounds` repeats a kernel for learners.
"""

BELONGS_TO_MULTISLOT = True
"""By this the command tells this package from a folder of a user that has the same name."""
