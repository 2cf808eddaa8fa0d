"""For each guarantee its hypotheses, and for each hypothesis the smallest world in which dropping it breaks it."""
