"""Proposition 1, one condition at a time: when does it pay never to end?

Alizadeh Alamdari et al. 2021, Proposition 1: if nothing is discounted, the acting agent counts its own reward, every
step costs, values are finite and some policy ends, then every optimal policy ends. Otherwise an agent may stay
endlessly, "to avoid being penalized for what effect its actions have had on others". Here leaving harms the next agent,
or helps it. Each condition is violated alone, and a search over all policies says what is then optimal. The conditions
are sufficient, not necessary: where leaving helps, an agent leaves without some of them.
"""
