"""Rival rules: what a subject could follow instead of a theory of the profile.

A theory is rejected if some rival explains its misses significantly, or if questions that have something in common miss
in the same direction. A rival is another theory, or a common rule, such as the smallest pay. This module is pure
Python, because the explorer's page uses it.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import exp, log, log1p
from statistics import fmean, pstdev
from typing import Any, TypeAlias

from scenarios.profile.questions import BIGGEST, DAYS, Question, gain_coefficients, gain_of

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
LEAST_LAPSE = 0.002
"""The tests assume at least so many careless answers: an unlikely answer refutes nobody."""
LEAST_SHARPNESS, MOST_SHARPNESS = 0.05, 2.0
"""Of rivals, logits a coin."""
EXCESS = 0.5
"""The misses of careless subjects vary more than those of resamples, as no fit is made for resamples. So the variance
of misses is divided by 1 plus this factor times the share of careless answers. The factor was chosen so that true
theories of careless subjects are not rejected more often than others."""
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
PAY_WIDTHS, DIFFERENCE_WIDTHS = (2, 5, 10), (10, 40)
"""Coins; widths of classes of pays, and of classes of differences between pays."""
EARLY_DAYS, FIRST_DAY = 0.03, 0.05
"""How much more the days before a deletion count for two rivals: all days, as in a discounted future, or the first."""
STEEP = 20.0
"""Coins; the size of a gain whose sign alone counts."""


def bounded_need(questions: int) -> int | None:
    """How many questions would decide; None if questions of this kind cannot."""
    return questions if questions <= MOST_NEEDED else None


def shown_by(logits: Iterable[float]) -> float:
    """Twice the expected log-likelihood ratio of answers with these log-odds, over answers by chance.

    An answer that is nearly certain adds at most 2 log 2, however much is at stake.
    """
    certain = [(x, exp(-x)) for x in map(abs, logits)]
    return sum(2 * (log(2) - log1p(e) - x * e / (1 + e)) for x, e in certain)


def flat_numbers(question: Question) -> dict[str, float]:
    """The numbers of a question, members of a tuple apart."""
    flat: dict[str, float] = {}
    for name, value in question.numbers.items():
        members = value if isinstance(value, tuple) else (value,)
        flat |= {f"{name}.{place}" if len(members) > 1 else name: float(part) for place, part in enumerate(members)}
    return flat


def scaled_numbers(questions: Sequence[Question]) -> list[list[float]]:
    """The numbers of each family with mean 0 and deviation 1, and 0 in other families, [numbers, questions]."""
    columns = []
    for family in dict.fromkeys(question.family for question in questions):
        rows = {place: flat_numbers(one) for place, one in enumerate(questions) if one.family == family}
        for values in zip(*(numbers.values() for numbers in rows.values()), strict=True):
            mean, size, column = fmean(values), pstdev(values) or 1.0, [0.0] * len(questions)
            for place, value in zip(rows, values, strict=True):
                column[place] = (value - mean) / size
            columns.append(column)
    return columns


def rival_gains(questions: Sequence[Question], theory: str) -> dict[str, list[float]]:
    """The gains of the second options by each rival of a theory, in coins."""
    if questions[0].part == "identity":
        rows = [_identity_rules(question, question.numbers, theory) for question in questions]
    else:
        rows = [_caution_rules(one.numbers) if one.part == "caution" else {} for one in questions]
    return compared_gains(questions) | {name: [row[name] for row in rows] for name in rows[0]}


def compared_gains(questions: Sequence[Question]) -> dict[str, list[float]]:
    """The gains of the second options by the theories of a part, in coins; of pessimists by a few."""
    names = SHOWN_RULES if questions[0].part == "caution" else questions[0].gains
    return {name: [question.gains[name] for question in questions] for name in names}


def _identity_rules(question: Question, numbers: Mapping[str, Any], theory: str) -> dict[str, float]:
    pays, days = {name: pay for name, pay in numbers.items() if name != "d"}, numbers.get("d", 0)
    safe, *others = pays.values()
    gain, change = question.gains.get(theory, 0.0), 0.0
    if days:  # what two more days together would change
        less, more = (
            gain_of(theory, question.family, pays, min(max(days + move, 1), DAYS - 1), DAYS) for move in (-1, 1)
        )
        change = (more - less) * (DAYS - days)
    return {
        "early days": gain + EARLY_DAYS * days * change,
        "the first day": gain + FIRST_DAY * change,
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
        "the biggest pay": asking - max(pays),
        "the smallest pay": asking - min(pays),
        "the smallest pay alone": -min(pays),
        "what the keeper takes": -numbers["price"],
        "how likely the machine is worse": sum(worse),
        "how many theories are worse": len(worse),
        "the pay of the least likely theory": asking - pays[weights.index(min(weights))],
        "losses that count double": asking - losses,
    }


def likenesses_of(
    questions: Sequence[Question], answers: Sequence[float], theory: str
) -> dict[str, tuple[list[Labels], bool]]:
    """What questions have in common: labels with weights; two are alike by the products of shared labels' weights.

    With each stands whether questions so alike are asked if they follow another theory. If not, they are asked if their
    answers tilt in the same direction.
    """
    count, seconds = len(questions), [answer > 0.5 for answer in answers]
    others: dict[str, list[Labels]] = {
        "another theory": [{0: 1.0} for _ in questions],
        "another theory by families": [{one.family: 1.0} for one in questions],
        "another theory by wordings": [{(one.family, one.wording): 1.0} for one in questions],
        "another theory by parts of the list": [
            {(n, place * n // count): 1.0 for n in PARTS} for place in range(count)
        ],
        "another theory by rhythms": [{(period, place % period): 1.0 for period in PERIODS} for place in range(count)],
    }
    tilts: dict[str, list[Labels]] = {}
    if questions[0].part == "identity":
        others["another theory by earlier answers"] = [
            {tuple(seconds[max(place - last, 0) : place]): 1.0 for last in EARLIER} for place in range(count)
        ]
        digits: list[Labels] = [{(name, pay % 10): 1.0 for name, pay in flat_numbers(one).items()} for one in questions]
        others["another theory by last digits"] = tilts["last digits"] = digits
        tilts["differences between pays"] = [_differences(question) for question in questions]
        tilts["what pays are worth"] = _worths(questions, theory, _sizes)
        tilts["what last digits are worth"] = _worths(questions, theory, lambda pay: (pay % 10,))
    return {name: (labels, labels_of is others) for labels_of in (tilts, others) for name, labels in labels_of.items()}


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
    for width in PAY_WIDTHS:
        yield from ((width, shift, (pay + shift) // width) for shift in (0, width // 2))


def _differences(question: Question) -> Labels:
    """Classes of the differences between any two pays of a question."""
    pays = [(name, pay) for name, pay in flat_numbers(question).items() if name != "d"]
    return {
        (question.family, one, other, width, (pay - less) // width): 1.0
        for (one, pay), (other, less) in combinations(pays, 2)
        for width in DIFFERENCE_WIDTHS
    }
