"""The presumptuous philosopher: is a theory likelier because it says that there are many of us?

Two theories fit all observations equally well. By one there are n observers like us, by the other N, many more. The
philosopher needs no experiment: being an observer at all, she finds the populous theory N/n times as likely (Bostrom
2002). That is self-indication (`count`). Self-sampling (`exists`) leaves the odds even. A coupon on the populous theory
makes it a matter of decision: chosen from the beginning, it is worth a half to those who count the average over all
observers and N/(n + N) to those who count their sum. So the presumption is in what is cared for (Armstrong 2011). Told
which observer one is, the two schools part once more; see ``doomsday``.
"""
