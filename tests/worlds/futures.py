"""What may count as an agent's future: every value of `multislot.exact` that tests on random worlds try."""

from multislot import exact

WEIGHTED = (
    *(exact.CopyCentered(), exact.StaticSlotCentered(), exact.OneSlot(2), exact.PrimeSlot(), exact.FirstCopy()),
    *(exact.LeastRewarded(), exact.SameHistory(), exact.ActedSequence((1, 0)), exact.CommonAncestor()),
)
"""Those that weigh situations."""
EVERY = (*WEIGHTED, exact.StaticSlotCentered(2), exact.DynamicSlotCentered(), exact.KnownSlot())
