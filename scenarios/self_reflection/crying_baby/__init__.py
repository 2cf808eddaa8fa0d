"""A parent and a baby who are the same: nutrition and mood over time.

The agent feeds or does not feed a baby, which is a copy of the agent that laughs or cries (Alexander et al. 2021,
Example 8). The parent is paid when the baby laughs, the baby while its nutrition is within bounds; nothing ties the
baby's sounds to its nutrition but what the two come to mean by them.
"""
