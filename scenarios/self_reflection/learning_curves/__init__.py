"""How does the measure of self-reflection grow as agents live longer?

Alexander et al. 2021 measure after 100,000 steps. Here the measure is taken after 10³ steps, 10^3.5 and so on up to
10⁶ (--set steps=1000000), for every agent and its reality check, with the same random numbers as in the paper's table.
Deep agents may be given other widths and learning rates than their own (--set widths=16,64,256).
Nothing is published to compare with, but agents that learn nothing from rewards stay at 0 throughout.
"""
