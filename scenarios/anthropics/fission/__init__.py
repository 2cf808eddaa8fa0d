"""Fission: your brain is divided, and neither, one or both of the halves survive.

Each half of a divided brain is put into a body of its own, and each operation succeeds with probability q. If one
succeeds you survive, most would say. If both do there are two people, and each is to you what the single survivor would
have been; how can a double success be a failure (Parfit 1984)? Here it is a question of what is counted. To the average
over the living two survivors are as good as one, to their sum they are twice as good. The copy-centred value of Orseau
(2014) weighs each half by its own chance q, so the second chance adds nothing at all; and a value that follows the slot
holds every operation for death. What learners come to do is biased: whoever did not survive has learned nothing.
"""
