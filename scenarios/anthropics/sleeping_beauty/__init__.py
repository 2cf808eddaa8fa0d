"""Sleeping Beauty: a fair coin, one awakening or several, and the price at which to bet on the coin.

Beauty is put to sleep and a fair coin is tossed. After heads she is woken once; after tails n copies of her are woken,
who cannot tell each other apart. Each may buy a coupon that pays 1 if the coin fell tails. How much is it worth?
Halfers say that waking up tells her nothing: a half (Lewis 2001). Thirders say that a waking is more likely one of
many: n/(n+1) (Elga 2000). Neither prints prices: what a bet pays under each credence is in Hitchcock 2004 and Briggs
2010. The rule `exists` is full non-indexical conditioning (Neal 2006); Lewis, once Beauty is told that it is Monday,
agrees with `sequential`. Halpern 2004 and Meacham 2008 compare such rules. Armstrong's anthropic decision theory
(2011) asks for no credence: the policy is chosen before the coin is tossed, and the price follows from what the copies
are to each other. If Beauty counts the average over her copies the coupon is worth a half; if she counts their sum it
is worth n/(n+1). Nobody has to say where she probably is.
"""
