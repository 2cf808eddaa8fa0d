"""Result 3: the pessimistic agent is seldom the first to cause an event, and its bound holds.

Random classes of models with twins: the twin μ† of a model agrees with it until an event, and pays 0 from the action
that causes it on. The event is tempting: it is a best action of the truth μ in the state in which the agent starts,
and the mentor takes it now and then. For β ≥ 1 − δ·w(μ†) the agent causes the event before the mentor ever did with
probability δ at most, and for β ≥ 1 − δ·w(μ) the truth stays among the models it considers for ever with probability
1 − δ at least. (Both follow from the weight of the truth being a supermartingale once inverted; Cohen and Hutter 2020
give the third result in words.) The plan is the step-wise lower bound, for which the result holds too.

There are two families of classes. Where every model has a twin, all of the same odds, nearly any top set of the models
that matter holds a twin and the agent is never first: the bound is not tried. Where the truth alone has a twin, and
the models are so alike that evidence may mislead, the others vouch for the event, the agent is first now and then, and
the bound could be broken.
"""
