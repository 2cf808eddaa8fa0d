"""A world that runs all deterministic environments in parallel: is it worth entering?

The agent in slot 1 stays, for r_s a step, or enters the universal world, in which every agent is copied at every step
and one copy observes 0, the other 1 (Orseau 2014, section 5). Observing 1 pays r. Whatever environment one thinks of,
there is always exactly one slot whose history it explains (Theorem 1); actions change nothing, unless they exchange the
two observations (footnote 3).
"""
