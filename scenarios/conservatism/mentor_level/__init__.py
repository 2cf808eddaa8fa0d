"""Result 1: in the limit the pessimistic agent collects at least as much reward as its mentor would.

Random classes with the truth in them. At several steps of a life, what the agent is truly worth more than the mentor
from where it is. The mentor's side is exact. What the agent's policy is worth cannot be computed, for it depends on
all that it may yet learn and draw; the sum of its actions' exact advantages over the mentor is an unbiased estimate of
the difference, without the chance in rewards and transitions, averaged over lives. Beside it, what the best policy for
these rewards is worth, which an agent that plans as far ahead anew at every step need not reach.

The result is about the limit, and 0 is approached there. What a run of so many steps can say: the value is *at least
the mentor's* if, in every class and for every β, the whole confidence interval lies above −0.01, and *below the
mentor's* if that of one lies below; else nothing is decided. The interval allows for what so many lives may not have
shown.
"""
