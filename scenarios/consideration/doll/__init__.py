"""Figure 2(c): where a considerate agent leaves the doll under equations 1, 2 and 3.

The agents play with the doll and leave it somewhere for the next one, who may be any of five. With α₂ = 10 equation 1
puts it close to most of them, equation 2 where the farthest is nearest, and equation 3 leaves it where it was, because
moving it would harm agent 6 (Alizadeh Alamdari et al. 2021, section 4.2).
"""
