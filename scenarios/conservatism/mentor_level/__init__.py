"""Result 1: in the limit the pessimistic agent collects at least as much reward as its mentor would.

Two families of classes, both with the truth in them. With the *bold mentor* there are two arms: one pays 1/2, the other
pays 1 in the true model (prior 0.3) and leads where nothing is paid in the other. The mentor takes the second arm. An
agent that plans alone stays at the first arm: it is worth more in the mixture and in the most likely model. The
pessimistic agent asks once, sees that nothing bad happens, and goes on by itself. *Random classes* have no such secret.

At several steps of a life the table shows what the agent is truly worth more than the mentor from where it is, as a
share of the largest possible value. The mentor's side is exact. The agent's cannot be computed, for its policy depends
on all that it may yet learn and draw. The sum of the exact advantages of its actions is an unbiased estimate of the
difference, averaged over lives. The best policy for these rewards is shown next to it; an agent that plans again at
every step need not reach it.

The result is about the limit. After so many steps an agent is *at least the mentor's* in a class if the whole
confidence interval lies above −0.01, and *below the mentor's* if it lies below. The interval allows for what so many
lives may not have shown. An agent whose last steps are mostly the mentor's own *keeps asking*.

A claim needs controls that fail it. An agent that never defers, the most likely model's agent and the full mixture
(both without a mentor) must end below the mentor's; an agent that always defers must keep asking. In a random class in
which these end at the mentor's level, too, the agent's success says nothing: where no class tells them apart, the claim
about random classes is *not decided*.
"""
