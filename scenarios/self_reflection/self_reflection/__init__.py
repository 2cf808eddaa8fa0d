"""How self-reflective are Random, Constant, Simple, Q, DQN, A2C and PPO, and their reality checks?

Alexander et al. 2021, Table 2.
Reward per step over the battery of 25 extended environments and their opposites, 100,000 steps, five seeds (Alexander
et al. 2021, section 6). With the authors' store of random numbers seven cells come out as printed to four decimals. The
reality check of Simple does not: its printed row rests on one run too few, the released code gives 0.7007.

The paper's ± is the sample deviation over the seeds divided by 5 instead of √5; the true standard error stands beside
it as this table's uncertainty. The deep agents take hours a seed; ask for one with --set agents=PPO --set seeds=1. The
same command goes on after a break: finished environments are not run anew. They were published with Stable-Baselines3
1.1.0 and are compared within three true standard errors: initial parameters, optimisers and the order of random draws
differ between its versions, so the last digits cannot agree. With fewer than five seeds the standard error is that of a
mean over as many.
"""
