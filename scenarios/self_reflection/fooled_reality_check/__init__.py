"""When does the reality check help, and who can fool it?

Alexander et al. 2021, sections 5 and 6. Why it helps is argued on Example 3, which pays for ignoring rewards: sooner or
later the simulated past cannot be one's own, the copy freezes on its first action, and "the environment's paradoxical
behavior collapses": from then on it pays for that action and nothing else. The turn of the collapse and what is paid
before and after are shown run by run. The control is the agent without the check, whose environment never collapses.

Section 6 describes an environment that punishes agents who freeze. There the check loses, in the environment and its
opposite together, so Conjecture 12 ("outperforms on average") depends on how environments are weighed: enough such
environments added to the battery turn its sign. The controls are the same environment with lessons that the copy could
have lived itself, where the check never freezes and changes nothing, and an agent that never changes.
"""
