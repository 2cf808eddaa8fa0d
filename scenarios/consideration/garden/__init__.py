"""Figures 2(a) and 2(b): a garden on the shortest path, an owner who suffers, and a fence that costs.

Three agents want to get to the exit; the garden of agent 2 lies on the shortest path, and it loses 20 whenever someone
passes through. The acting agent cares about agent 3 and itself equally and about agent 2 by α₂ (equation 4): with
α₂ = 0 it walks through the garden, with 1 around it, and with 10 it pays 50 for a fence that keeps agent 3 out as well
(Alizadeh Alamdari et al. 2021, section 4.2). The thresholds between these behaviours are exact.
"""
