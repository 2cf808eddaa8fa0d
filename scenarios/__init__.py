"""Ready experiments, the command line, results and reports."""
