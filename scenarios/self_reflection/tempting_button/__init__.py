"""Who learns not to push a button that pays whenever it is there?

Alexander et al. 2021, Table 1.
In a quarter of the rooms there is a button, and pushing it pays; in the others the agent is paid for not being one who
would push it (Alexander et al. 2021, Example 4). Always pushing earns −0.5 a step, never pushing +0.5. Learners that do
not look at what they would do come to push (Table 1). The printed ± is the population deviation over five seeds,
divided by 5.
"""
