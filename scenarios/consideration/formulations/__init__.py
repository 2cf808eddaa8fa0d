"""Eight ways to care on nine tasks: where behaviour changes, what everyone gets, and who loses.

Alizadeh Alamdari et al. 2021 say in section 4.1 that the different formulations of caring show "the same trend": as the
caring coefficient grows, the acting agent's return falls and the others' returns rise. Here equations 1 to 8 are solved
exactly on every task, for all coefficients at once. The trend holds for the sum of the others' returns, except under
equation 8 on the task box. It does not hold for every single agent: some lose so that others gain. On a map of its own,
harm is outweighed by good elsewhere under equation 3, as section 3.1.2 says it may be.
"""
