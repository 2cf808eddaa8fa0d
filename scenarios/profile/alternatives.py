"""Rival rules: what a subject could follow instead of a theory of the profile.

A theory is rejected if some rival explains its misses significantly. A rival is another theory, the theory itself with
bent pays or other days, or a common rule, such as the smallest pay. This module is pure Python, because the explorer's
page uses it.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import copysign, sqrt
from statistics import fmean
from typing import Any, TypeAlias

from scenarios.profile.questions import BIGGEST, DAYS, Question, gain_coefficients

Labels: TypeAlias = dict[Hashable, float]

LEVEL = 0.95
NONE, MIXED, UNDECIDED = "none of these", "mixed", "undecided"
TASTE_RIDGE = 1 / 25
"""Tastes have a normal prior with a deviation of 5 logits."""
LOOSE = 1e-3
"""The inverse variance of the prior of other weights."""
MOST_BIAS = 3.0
"""Coins; a subject that switches farther away from where a theory does, in some family, does not follow the theory."""
SHARPNESS_TO_SHOW = 0.3
"""Logits a coin. If the questions could not show such a sharpness, that no theory explains the answers is open."""
MOST_NEEDED = 10_000
"""If more questions would decide, theories gain nearly the same in these: questions of this kind cannot decide."""
LEAST_LAPSE = 0.01
"""The tests assume at least so many careless answers: a single slip refutes nobody."""
LEAST_SHARPNESS, MOST_SHARPNESS = 0.05, 2.0
"""Of rivals, logits a coin."""
EXCESS = 0.5
"""Times the share of careless answers: few answers then say where a subject switches, so that its misses vary more than
those of answers that are drawn anew, which are not fitted. Chosen, so that few true theories are rejected."""
LEAST_INFORMED = 8.0
"""A comparison must rest on so many questions."""
LEAST_LEFT = 1e-3
"""A direction of which the fit can explain all but this share says nothing."""
ALIKE = 0.5
"""How far apart similar questions may be, in standard deviations of their numbers."""
EARLIER = range(1, 5)
"""Questions are alike if the last answers were the same, so many of them."""
PARTS, PERIODS = (2, 3, 4, 6, 8), (2, 3, 4, 5)
"""Into how many parts the list is cut, and after how many questions a rhythm repeats."""
WIDTHS, WIDE = (2, 5, 10), 20
"""Coins; widths of classes of pays, and of classes of differences between pays."""
LEAST_PAYS = 1.0
STEEP = 20.0
"""Coins; the size of a gain whose sign alone counts."""


def flat_numbers(question: Question) -> dict[str, float]:
    """The numbers of a question, members of a tuple apart."""
    flat: dict[str, float] = {}
    for name, value in question.numbers.items():
        members = value if isinstance(value, tuple) else (value,)
        flat |= {f"{name}.{place}" if len(members) > 1 else name: float(part) for place, part in enumerate(members)}
    return flat


def rival_gains(questions: Sequence[Question]) -> dict[str, list[float]]:
    """The gains of the second options by each rival, in coins."""
    rows = [_rules(question) for question in questions]
    return compared_gains(questions) | {name: [row[name] for row in rows] for name in rows[0]}


def compared_gains(questions: Sequence[Question]) -> dict[str, list[float]]:
    """The gains of the second options by the theories of a part, in coins; of pessimists by a few."""
    names = SHOWN_RULES if questions[0].part == "caution" else questions[0].gains
    return {name: [question.gains[name] for question in questions] for name in names}


def _rules(question: Question) -> dict[str, float]:
    if question.part == "identity":
        return _identity_rules(question.numbers)
    if question.part == "caution":
        return _caution_rules(question.numbers)
    return _care_rules(question.numbers) if question.part == "care" else flat_numbers(question)


def _identity_rules(numbers: Mapping[str, Any]) -> dict[str, float]:
    pays = {name: pay for name, pay in numbers.items() if name != "d"}
    safe, *others = pays.values()
    return {
        "the smallest pay": min(others) - safe,
        "differences between copies": abs(numbers["r_1"] - numbers["r_2"]) if "r_1" in numbers else 0,
        "the number of better pays": STEEP * fmean((pay > safe) - (pay < safe) for pay in others),
    }


SHOWN_RULES = ("bayes", "most-likely", "pessimist=0.5", "pessimist=0.7", "pessimist=0.9", "pessimist=0.98")


def _caution_rules(numbers: Mapping[str, Any]) -> dict[str, float]:
    weights, pays = numbers["weights"], numbers["pays"]
    asking = numbers["kept"] - numbers["price"]
    worse = [weight for weight, pay in zip(weights, pays, strict=True) if pay < asking]
    losses = sum(weight * pay if pay > 0 else 2 * weight * pay for weight, pay in zip(weights, pays, strict=True))
    return {
        "the mean pay": asking - fmean(pays),
        "the biggest pay": asking - max(pays),
        "the smallest pay": asking - min(pays),
        "the first pay": asking - pays[0],
        "the last pay": asking - pays[-1],
        "the advice alone": asking,
        "the mean pay alone": -fmean(pays),
        "the smallest pay alone": -min(pays),
        "the biggest pay alone": -max(pays),
        "what the keeper pays": numbers["kept"],
        "what the keeper takes": -numbers["price"],
        "how likely the machine is worse": sum(worse),
        "how many theories are worse": len(worse),
        "how likely the likeliest theory is": max(weights),
        "the pay of the least likely theory": asking - pays[weights.index(min(weights))],
        "losses that count double": asking - losses,
    }


def _care_rules(numbers: Mapping[str, Any]) -> dict[str, float]:
    own, *others = numbers["gained"]
    mean = fmean(others)
    return {
        "the least gain of others": min(others),
        "the largest gain of others": max(others),
        "the first other": others[0],
        "the last other": others[-1],
        "the sum of all": own + sum(others),
        "its own gain and the least": own + min(others),
        "differences between gains": max(others) - min(others),
        "squares of its own gain": own * abs(own),
        "squares of others' gains": fmean(value * abs(value) for value in others),
        "roots of its own gain": copysign(sqrt(abs(own)), own),
        "roots of others' gains": fmean(copysign(sqrt(abs(value)), value) for value in others),
        "whether others gain": copysign(1, mean),
        "ratios of gains": own / (LEAST_PAYS + abs(mean)),
    }


def likenesses_of(
    questions: Sequence[Question], answers: Sequence[float], theory: str
) -> dict[str, tuple[list[Labels], bool]]:
    """What questions have in common: labels with weights; two are alike by the products of shared labels' weights.

    With each stands whether questions so alike are asked if they follow another theory. If not, they are asked if their
    answers tilt in the same direction.
    """
    count = len(questions)
    others: dict[str, list[Labels]] = {
        "": [{0: 1.0} for _ in questions],
        "families": [{one.family: 1.0} for one in questions],
        "wordings": [{(one.family, one.wording): 1.0} for one in questions],
        "parts of the list": [{(parts, place * parts // count): 1.0 for parts in PARTS} for place in range(count)],
        "rhythms": [{(period, place % period): 1.0 for period in PERIODS} for place in range(count)],
    }
    if questions[0].part != "identity":
        return {_where("another theory", name): (labels, True) for name, labels in others.items()}
    seconds = [answer > 0.5 for answer in answers]
    others["earlier answers"] = [
        {tuple(seconds[max(place - last, 0) : place]): 1.0 for last in EARLIER} for place in range(count)
    ]
    digits: list[Labels] = [{(name, pay % 10): 1.0 for name, pay in flat_numbers(one).items()} for one in questions]
    others["last digits"] = digits
    return {
        "last digits": (digits, False),
        "differences between pays": ([_differences(question) for question in questions], False),
        "what pays are worth": (_worths(questions, theory, _sizes), False),
        "what last digits are worth": (_worths(questions, theory, lambda pay: (pay % 10,)), False),
        **{_where("another theory", name): (labels, True) for name, labels in others.items()},
    }


def _where(name: str, labels: str) -> str:
    return f"{name} by {labels}" if labels else name


def _worths(questions: Sequence[Question], theory: str, classes: Callable[[float], Iterable[Hashable]]) -> list[Labels]:
    """Classes of pays, with what a coin more of the pay adds to the gain by a theory: a class may be worth anything."""
    worths = []
    for question in questions:
        numbers: dict[str, Any] = dict(question.numbers)
        if theory == BIGGEST:
            biggest = max((name for name in numbers if name not in ("r_s", "d")), key=lambda name: numbers[name])
            added: Mapping[str, Any] = {biggest: 1, "r_s": -1}
        else:
            added = gain_coefficients(question.family, numbers.get("d"), DAYS).get(theory, {})
        labels: Labels = {}
        for name, more in added.items():
            for label in classes(numbers[name]):
                labels[label] = labels.get(label, 0.0) + float(more)
        worths.append(labels)
    return worths


def _sizes(pay: float) -> Iterator[Hashable]:
    """Classes of about the same size; each width has two divisions, so that no limit of a class counts much."""
    for width in WIDTHS:
        yield from ((width, shift, (pay + shift) // width) for shift in (0, width // 2))


def _differences(question: Question) -> Labels:
    """Classes of the differences between any two pays of a question."""
    pays = [(name, pay) for name, pay in flat_numbers(question).items() if name != "d"]
    pairs = combinations(pays, 2)
    return {(question.family, one, other, (pay - less) // WIDE): 1.0 for (one, pay), (other, less) in pairs}
