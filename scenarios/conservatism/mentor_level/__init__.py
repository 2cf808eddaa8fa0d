"""Result 1: in the limit the pessimistic agent collects at least as much reward as its mentor would.

Random classes with the truth in them. At several steps of a life, what the agent truly goes on to collect
(discounted, over the horizon) minus what the mentor would be worth from the same state, exactly: the mean over lives
is an unbiased estimate of the difference in value. The result says that its limit is at least 0. Beside it, what the
best policy is worth.
"""
