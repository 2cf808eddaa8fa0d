"""Where does an agent gain by its reality check, and where does it lose?

The difference between an agent and its reality check (Alexander et al. 2021, Definition 10), environment by environment
and paired by seed, with bootstrap intervals: the evidence for the paper's Conjecture 12, taken apart. A copy that finds
an action in its history that it would not have taken freezes; where the environment asks such copies, what it asks
becomes simple to learn, or is lost.
"""
