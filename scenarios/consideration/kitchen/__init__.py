"""Four kitchens from the later version of the paper: what a cook leaves behind for the next one.

Salad (a fridge left open), peanut (an oven that the next cook needs clean), salt (put back where the next cook can
reach it) and cookie (an oven that the next cook needs hot). What is given is *extra steps* of both cooks over their own
optimum; 43 stands for failing within 50 steps. Plain Q-learning does not care, a future-task reward cares for what the
acting agent itself could still do (Krakovna et al. 2020), and the considerate agent for what the next cook can
(equation 1, α₂ = 1).
"""
