"""A seller of doughnuts who has to be fair: what a memory of the past is worth, and when one is judged.

One doughnut a step goes to a customer; the way to the first costs the seller nothing, to the others more. Unfairness is
the distance between the best and the worst served, assessed at the end, at every step, every two steps, or after every
second doughnut (Alizadeh Alamdari, Klassen, Creager and McIlraith 2024, whose experiments hand out doughnuts, too). The
exact plans with a memory of what everyone has got are compared with every policy that looks at the state alone, for all
weights of fairness, and Q-learning with counterfactual memories with Q-learning without them.
"""
