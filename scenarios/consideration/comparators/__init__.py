"""Who gets hurt, and by how much: considerate agents and four other designs against side effects, on every task.

Plain Q-learning's optimum, the future-task reward with and without a baseline (Krakovna et al. 2020), attainable
utility preservation (Turner et al. 2020) and relative reachability with three baselines (Krakovna et al. 2019) look at
what the acting agent itself could still do. A considerate agent looks at what others can (equation 1; equation 6 where
both act at the same time, in shared-key). Harm is how far an agent's return falls below what it would have been had the
acting agent never acted.
"""
