"""Ready experiments, the command line, results and reports.

`registry` knows which scenarios there are, `runner` runs their cells, `store` keeps what is finished, `table` puts
the papers' numbers beside ours and `cli` is the command ``multislot``. `rounds` repeats a kernel for learners.
"""
