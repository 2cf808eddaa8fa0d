"""The two bounds of result 3, the words for what a run says about them, and how controls and β are judged."""

from collections.abc import Iterable

HOLDS, BROKEN = "holds", "broken"


def first_bound(beta: float, twin_weight: float) -> float:
    """The δ for which β = 1 − δ·w(μ†), at most 1."""
    return min(1.0, (1 - beta) / twin_weight)


def stay_bound(beta: float, weight: float) -> float:
    """The least probability that the truth stays, 1 − δ for β = 1 − δ·w(μ), at least 0."""
    return max(0.0, 1 - (1 - beta) / weight)


def all_broken(verdicts: Iterable[str]) -> str:
    """Judge a control: broken if every verdict says so, otherwise the first that does not."""
    return next((word for word in verdicts if word != BROKEN), BROKEN)


def smallest_enough(kept: Iterable[tuple[float, bool]]) -> float | None:
    """The smallest β from which on every β was enough, from each β and whether it was; None if there is none."""
    pairs = list(kept)
    return min((beta for beta, _ in pairs if all(enough for other, enough in pairs if other >= beta)), default=None)
