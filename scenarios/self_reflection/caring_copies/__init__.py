"""Does it help to care for others, if the others are copies of oneself?

Two papers meet here. Alizadeh Alamdari et al. 2021, equation 6 ("sim"), adds to an agent's reward those of the others,
times a caring coefficient alpha. Alexander et al. 2021, section 4.2, lets copies of the agent play all the roles of a
game. Everybody cares alike.

Crying baby (Example 8): the parent is paid for the baby's laughter, the baby for its nutrition, and neither sees the
nutrition. A baby that cares laughs for its parent's sake; the parent still does not learn to feed it well. Rock, paper,
scissors: copies of equal lives move alike, so there is nothing to share. Commons: greedy players take more today and
may end the resource for everybody. Among strangers restraint is an equilibrium only from a certain alpha on (an exact
threshold). Copies of one agent move alike: if one is greedy, all are, and a learner finds out. So restraint needs no
caring among copies; among strangers who do not care the resource dies.

With ``--set agents=Q,PPO``, or ``--full``, PPO learns the same games (extra ``deep``): so what is found is not a trait
of Q-learning. Its copies keep the commons alive, too, and its strangers only if they care.
"""
