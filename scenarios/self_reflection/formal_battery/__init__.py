"""How do learners fare in the examples of the second paper, taken as a battery?

Alexander 2022, Examples 1-5 and 7-13, exact functions of (agent, play). A practical learner is lifted: a copy is
trained on the prompt and then acts. "We conjecture that traditional RL agents would perform poorly in these extended
environments" (section 1). Poorly means here: worse than halfway between guessing and being always right. The conjecture
holds for a Q-learner in some examples and fails in others: in Backward Consciousness it does well, since what a table
has learned hardly depends on the order. Controls: an agent that never changes does well where the learner does poorly;
where the learner does well, one that acts by a hash of all its past does poorly.

The first paper's Conjecture 12 says that the reality check is an improvement on average. It is a large one in Example 1
and a loss in Backward Consciousness, with the mirror and with binocular vision: there the imagined past is nearly one's
own, and an agent that freezes at it acts otherwise than it would.
"""
