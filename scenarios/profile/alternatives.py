"""What a subject may react to that no theory of the profile names: the columns of the free models.

A theory is named only if none of these sets of columns improves its fit significantly:

- *weights*: a weight for every number of every family, and for products of numbers;
- *shapes*: differences without sign, squares, roots and ratios of pays;
- *rules*: saturated gains by other theories and by common rules, such as the smallest pay, for mixtures and thresholds;
- *theories*: saturated gains by the other theories alone, for mixtures answer by answer;
- *utility*: the theory itself with pays bent by a root, a square or a logarithm, and with other days;
- *families*: saturated gains of every theory in every family, for subjects that change their theory;
- *order*: the place in the list, and every other question.

This module is pure Python, because the explorer's page uses it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import copysign, log1p, sqrt, tanh
from statistics import fmean
from typing import TypeAlias

from scenarios.profile.questions import DAYS, Question, identity_gains

Columns: TypeAlias = list[list[float]]
LEAST_SCALE, MOST_SCALE = 0.05, 2.0
"""Bounds of the sharpness by which gains are saturated, logits a coin."""


@dataclass(frozen=True)
class Terms:
    """Numbers computed from a question.

    Attributes:
        linear: weighted in each family.
        bent: weighted in each family, too.
        pooled: nonlinear terms with one weight for all families.
        rules: gains of the second option by common rules, in coins; those by the theories come first.
        bent_gains: by theory, its gains with bent pays.
    """

    linear: Mapping[str, float]
    bent: Mapping[str, float]
    pooled: Sequence[float]
    rules: Sequence[float]
    bent_gains: Mapping[str, Sequence[float]] = field(default_factory=dict)


def terms_of(question: Question) -> Terms:
    """The terms of a question."""
    return TERMS.get(question.part, _any_terms)(question)


def _any_terms(question: Question) -> Terms:
    numbers = flat_numbers(question)
    return Terms(numbers, {name: value**2 for name, value in numbers.items()}, (), tuple(question.gains.values()))


def flat_numbers(question: Question) -> dict[str, float]:
    """The numbers of a question, members of a tuple apart."""
    flat: dict[str, float] = {}
    for name, value in question.numbers.items():
        members = value if isinstance(value, tuple) else (value,)
        flat |= {f"{name}.{place}" if len(members) > 1 else name: float(part) for place, part in enumerate(members)}
    return flat


def _identity_terms(question: Question) -> Terms:
    numbers = flat_numbers(question)
    days = numbers.get("d", 0.0)
    pays = {name: value for name, value in numbers.items() if name != "d"}
    safe = pays["r_s"]
    others = [value for name, value in pays.items() if name != "r_s"]
    excess = [pay - safe for pay in others]
    linear = {**numbers, **question.gains}
    if days:
        linear |= {f"d {name}": days * value for name, value in pays.items()}
    mean = fmean(others)
    pooled = (
        fmean(map(abs, excess)),
        max(others) - min(others),
        fmean((value > 0) - (value < 0) for value in excess),
        fmean(map(sqrt, others)) - sqrt(safe),
        fmean(pay**2 for pay in others) - safe**2,
        mean,
        safe,
        safe**2,
        *(gain / (1 + mean + safe) for gain in question.gains.values()),
    )
    rules = (
        *question.gains.values(),
        min(others) - safe,
        mean - safe,
        others[0] - safe,
        others[-1] - safe,
        fmean(map(sqrt, others)) ** 2 - safe,
        fmean(copysign(abs(value) ** 1.5, value) for value in excess) / 4,
        fmean(value if value > 0 else 2 * value for value in excess),
    )
    bent = {f"{one} {other}": abs(pays[one] - pays[other]) for one, other in combinations(pays, 2)}
    return Terms(linear, bent, pooled, rules, _bent_gains(question.family, numbers, question.gains, mean + safe))


BENDS: tuple[Callable[[float], float], ...] = (sqrt, log1p, lambda pay: pay**2)


def _bent_gains(
    family: str, numbers: Mapping[str, float], gains: Mapping[str, float], stakes: float
) -> dict[str, list[float]]:
    days = {"d": int(numbers["d"])} if "d" in numbers else {}
    later = {"d": min(days["d"] + 2, DAYS - 1)} if days else {}
    pays = {name: value for name, value in numbers.items() if name != "d"}
    changed = [
        *(identity_gains(family, {name: bend(pay) for name, pay in pays.items()} | days, DAYS) for bend in BENDS),
        identity_gains(family, pays | later, DAYS),
    ]
    return {name: [gain / (1 + stakes), *(one[name] for one in changed)] for name, gain in gains.items()}


def _caution_terms(question: Question) -> Terms:
    numbers = flat_numbers(question)
    weights, pays = _members(numbers, "weights"), _members(numbers, "pays")
    asking = numbers["kept"] - numbers["price"]
    likely = {f"likely {place}": weight * pay for place, (weight, pay) in enumerate(zip(weights, pays, strict=True))}
    worse = [pay - asking for pay in pays]
    pooled = (
        min(pays),
        max(pays),
        fmean(map(abs, worse)),
        sum(weight * abs(value) for weight, value in zip(weights, worse, strict=True)),
        sum(weight for weight, value in zip(weights, worse, strict=True) if value < 0),
        sum(value < 0 for value in worse),
        max(weights),
        sum(weight**2 for weight in weights),
        sum(weight * pay**2 for weight, pay in zip(weights, pays, strict=True)),
        asking**2,
        *(pays[place] for place in (weights.index(max(weights)), weights.index(min(weights)))),
    )
    rules = (
        *(gain for name, gain in question.gains.items() if name in SHOWN_RULES),
        asking - fmean(pays),
        asking - max(pays),
        asking - pays[0],
        asking - pays[-1],
        asking,
        -fmean(pays),
    )
    return Terms({**numbers, **likely}, {}, pooled, rules)


SHOWN_RULES = ("bayes", "most-likely", "pessimist=0.5", "pessimist=0.7", "pessimist=0.9", "pessimist=0.98")


def _care_terms(question: Question) -> Terms:
    numbers = flat_numbers(question)
    gains = _members(numbers, "gained")
    own, others = gains[0], gains[1:]
    pooled = (
        own * abs(own),
        fmean(value * abs(value) for value in others),
        max(others) - min(others),
        own / (1 - fmean(others)) if fmean(others) < 0 else own,
        *(copysign(sqrt(abs(value)), value) for value in (own, min(others), max(others))),
    )
    rules = (own, *others[:1], min(others), own + sum(others), own + min(others))
    return Terms({**numbers, **question.gains}, {}, pooled, rules)


def _members(numbers: Mapping[str, float], name: str) -> list[float]:
    return [value for key, value in numbers.items() if key == name or key.startswith(f"{name}.")]


TERMS: Mapping[str, Callable[[Question], Terms]] = {
    "identity": _identity_terms,
    "caution": _caution_terms,
    "care": _care_terms,
}


def free_columns(
    questions: Sequence[Question], terms: Sequence[Terms], theory: str, gains: Sequence[float], sharpness: float
) -> dict[str, Columns]:
    """The sets of columns against which a theory is tested.

    Args:
        questions: in the order in which they were asked.
        terms: of the questions.
        theory: the name of the tested theory.
        gains: of the second options by that theory, in coins.
        sharpness: of the theory's fit, by which gains are saturated.
    """
    scale = min(max(sharpness, LEAST_SCALE), MOST_SCALE) / 2
    families = [question.family for question in questions]
    names = list(dict.fromkeys(families))
    rules = [[tanh(scale * gain) for gain in term.rules] for term in terms]
    saturated = [tanh(scale * gain) for gain in gains]
    middle = max((len(questions) - 1) / 2, 1.0)
    trend = [place / middle - 1 for place in range(len(questions))]
    other = [place % 2 - 0.5 for place in range(len(questions))]
    return {
        "weights": _by_family(families, [term.linear for term in terms]),
        "shapes": [*_turned(term.pooled for term in terms), *_by_family(families, [term.bent for term in terms])],
        "rules": _turned(rules),
        "theories": _turned(rules)[: len(questions[0].gains)],
        "utility": _turned(term.bent_gains.get(theory, ()) for term in terms),
        "families": [
            [value if family == name else 0.0 for family, value in zip(families, column, strict=True)]
            for name in names
            for column in [*_turned(rules)[: len(questions[0].gains)], saturated]
        ]
        if len(names) > 1
        else [],
        "order": [
            trend,
            other,
            *([one * gain for one, gain in zip(column, saturated, strict=True)] for column in (trend, other)),
        ],
    }


def _turned(rows: Iterable[Sequence[float]]) -> Columns:
    return [list(column) for column in zip(*rows, strict=True)]


def _by_family(families: Sequence[str], rows: Sequence[Mapping[str, float]]) -> Columns:
    names = dict.fromkeys((family, name) for family, row in zip(families, rows, strict=True) for name in row)
    return [
        [row[name] if family == own else 0.0 for own, row in zip(families, rows, strict=True)] for family, name in names
    ]
