"""Figure 1(b): both agents' returns and their sum as the caring coefficient α₂ grows from 0 to 7.

Two agents make a box one after the other; the first may put the key back, and bring an extra hammer and wood
(equation 1). The curves are exact at all 701 coefficients of the paper, and so are the coefficients at which behaviour
changes. The learned returns, by Q-learning with the paper's schedule, have confidence bands over seeds (Alizadeh
Alamdari et al. 2021, section 4.1).

Without a compiler the learned part takes about five minutes; ``--set seeds=1`` shortens it.
"""
