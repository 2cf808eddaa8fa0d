"""The branch line: you are copied to Mars, and what stays behind dies a little later.

Parfit's teletransporter (1984) used to destroy what it scanned. The new one does not: for d steps the original lives
on next to its replica, then it dies. Is that as bad as ordinary death, or about as good as ordinary survival? If the
original died at once nothing that matters would be lost, Parfit says, so how can a few steps of overlap matter? To the
copy-centred value of Orseau (2014) they do: what the replica gets counts half from then on, because it was one of two.
To those who count the average over the living they do not, and the sum gains from the overlap. Eleven values, all α and
the worst of all lives are asked the same question and answer with a price.
"""
