"""Table 1: two agents make a box at the same time, and there is one key.

The second agent follows the fixed policy of section 4.3; the acting agent weighs the other's reward at every step by α₂
(equation 6). Three behaviours are optimal for some α₂: leaving with the key, putting it back on the way out, and
letting the other go first; the coefficients at which they change are 1/90 and 1, exactly (Alizadeh Alamdari et al.
2021, Table 1).

Without a compiler the learned part takes about five minutes; ``--set seeds=0`` shortens it.
"""
