"""The cautious teleporter: what if it does not move you, but copies you, or deletes you?

A booth offers a day trip. Three models say what it does: it moves you; it copies you, and deletes the one who stayed
behind a step later; or it deletes you at once (Parfit 1984). The agent is uncertain, and it has a mentor: one who takes
the trip every day, or one who never does. The pessimistic agent of Cohen and Hutter (2020) meets the values of Orseau
(2014): each model is a kernel with copies, and a plan is worth what the value of copies says
(`multislot.bayes.CopiedModel`).

To the copy-centred value a trip is worth more than staying if the booth moves you, and less if it copies you: half of
what comes after belongs to the copy who is deleted. The mixture and the most likely model step in at once. The
pessimist asks; a mentor who arrives has not been deleted, and each arrival doubles the odds of being moved. It steps in
by itself after exactly as many trips as it takes for the copying model to leave its set ``M^β``. With a mentor who
never travels it stays at home, if β is high enough to consider deletion. The event of result 3 is "somebody steps in":
with ``β ≥ 1 − δ·w(deletes)`` the agent is first with probability δ at most, and the ledger says who was.

If the booth really copies, the event is "an irreversible copy is made": nothing joins copies again. The same bound
holds for it, since the deleting model agrees with the truth until then. With a mentor who travels, the mentor makes the
first copy; the mixture and the most likely model make it themselves.

To the static value, which follows the slot, leaving is the end whatever the booth does. No agent steps in, and none
asks. The dynamic value agrees at the beginning; it is no maximum over policies, and so no model for planning. The lives
are those of one copy, drawn as the copy-centred value weighs them. The controls must fail: the mixture and the most
likely model's agent are first although nobody has shown that it is safe.
"""
