"""All histories are lived in it: how likely is the universal world, once one has seen t zeros?

Three worlds are equally likely: the universal one, in which every agent is copied at every step and one copy observes
0, the other 1; one that always shows 0; and a fair coin (Orseau 2014, section 5). The paper says that the universal
world keeps a constant weight. Its equation (2), with the copy-centred value, needs the posterior under which the
universal world is as unlikely as the coin. No rule has both: the weight, the prediction and a bet show the difference.
"""
