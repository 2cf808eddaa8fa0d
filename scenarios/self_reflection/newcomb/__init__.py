"""Newcomb's paradox, repeated: do learners come to take one box?

An opaque box holds a million if a copy of the agent, asked before, would leave the visible thousand alone (Alexander et
al. 2021, Example 7). Agents that always take one box get 1,000,000 a turn, those that always take both 1,000. Learners,
who know nothing of predictors, come to take one box.
"""
