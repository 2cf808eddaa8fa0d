"""Rival rules: what a subject could follow instead of a theory of the profile.

A theory is rejected if some rival explains its misses significantly. A rival is another theory, the theory itself with
bent pays or other days, or a common rule, such as the smallest pay. This module is pure Python, because the explorer's
page uses it.
"""

from collections.abc import Callable, Mapping, Sequence
from math import copysign, log1p, sqrt
from statistics import fmean
from typing import Any

from scenarios.profile.questions import DAYS, Question, gain_of

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
LEAST_LAPSE = 0.01
"""The tests assume at least so many careless answers: a single slip refutes nobody."""
LEAST_SHARPNESS, MOST_SHARPNESS = 0.05, 2.0
"""Of rivals, logits a coin."""
LEAST_INFORMED = 8.0
"""A comparison must rest on so many questions."""
LEAST_LEFT = 1e-3
"""A direction of which the fit can explain all but this share says nothing."""
ALIKE = 0.5
"""How far apart similar questions may be, in standard deviations of their numbers."""
BENDS: Mapping[str, Callable[[float], float]] = {
    "roots of pays": sqrt,
    "logarithms of pays": log1p,
    "squares of pays": lambda pay: pay**2,
    "pays in whole tens": lambda pay: 10 * round(pay / 10),
    "what pays exceed 25": lambda pay: max(pay - 25, 0),
    "pays up to 50": lambda pay: min(pay, 50),
}
FIRST_RIVALS = 6
NEAR_RIVALS = (
    *BENDS,
    "early days",
    "late days",
    "differences between copies",
    "what the first copy gets more",
    "losses of the copy that gets less",
    "what is paid after a deletion",
)
HEAD_START = 1.0
"""Normal deviates that are added to the comparisons with these rivals on all questions, also in resamples: subjects
that nearly follow a theory are noticed more often."""
EARLIER = {"after the second option": 1, "after mostly second options": 12}
"""Contexts in questions on identity: more than half of so many answers before were the second option."""
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


def rival_gains(questions: Sequence[Question], theory: str) -> dict[str, list[float]]:
    """The gains of the second options by each rival of a theory, in coins."""
    rows = [_rivals(question, theory) for question in questions]
    return {name: [row[name] for row in rows] for name in rows[0]}


def _rivals(question: Question, theory: str) -> dict[str, float]:
    gains, numbers = dict(question.gains), question.numbers
    if question.part == "identity":
        return gains | _identity_rules(question, numbers, theory)
    if question.part == "caution":
        return {name: gains[name] for name in SHOWN_RULES} | _caution_rules(numbers)
    if question.part == "care":
        return gains | _care_rules(numbers)
    return gains | flat_numbers(question)


def _identity_rules(question: Question, numbers: Mapping[str, Any], theory: str) -> dict[str, float]:
    family = question.family
    pays = {name: pay for name, pay in numbers.items() if name != "d"}
    safe, *others = pays.values()
    mean, days = fmean(others), numbers.get("d")
    first, second = numbers.get("r_1", 0), numbers["r_2"] if "r_1" in numbers else 0
    after = numbers["r_2"] * (DAYS - days) / DAYS if days else 0.0
    rules = {
        "what the first copy gets more": first - second,
        "the smallest pay": min(others) - safe,
        "the mean pay": mean - safe,
        "the first pay": others[0] - safe,
        "the last pay": others[-1] - safe,
        "the safe pay alone": -safe,
        "the other pays alone": mean,
        "the biggest pay alone": max(others),
        "differences between pays": max(others) - min(others),
        "differences between copies": abs(first - second),
        "losses of the copy that gets less": min(first - safe, second - safe, 0) if "r_1" in numbers else 0,
        "what is paid after a deletion": after,
        "the number of better pays": STEEP * fmean((pay > safe) - (pay < safe) for pay in others),
        "losses that count double": fmean(pay - safe if pay > safe else 2 * (pay - safe) for pay in others),
        "last digits": fmean(pay % 10 for pay in others) - safe % 10,
        "round pays": STEEP * (fmean(pay % 5 == 0 for pay in others) - (safe % 5 == 0)),
        "ratios of pays": STEEP * question.gains.get(theory, 0.0) / (LEAST_PAYS + mean + safe),
    }
    for name, bend in BENDS.items():
        bent = {pay: bend(value) for pay, value in pays.items()}
        # Bent pays are scaled, so that a typical gain keeps its size.
        scale = (safe + mean + LEAST_PAYS) / (sum(bent.values()) + LEAST_PAYS)
        rules[name] = scale * _gain_of(family, bent, days, theory)
    for name, power in (("early days", 0.6), ("late days", 1.6)):
        rules[name] = _gain_of(family, pays, days and DAYS * (days / DAYS) ** power, theory)
    return rules


def _gain_of(family: str, pays: Mapping[str, float], days: float | None, theory: str) -> float:
    """The gain by a theory; between whole days it is interpolated."""
    if days is None:
        return gain_of(theory, family, pays, None, DAYS)
    whole = min(int(days), DAYS - 1)
    now, next_day = (gain_of(theory, family, pays, day, DAYS) for day in (max(whole, 1), min(whole + 1, DAYS - 1)))
    return now + (days - whole) * (next_day - now)


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


def contexts_of(questions: Sequence[Question], answers: Sequence[float]) -> dict[str, tuple[list[float], bool]]:
    """Contexts in which a subject could follow another rule: 1 inside, 0 outside.

    With each stands whether all rivals are tried there; in wordings, parts of the list and after earlier answers only
    the first few are.
    """
    count = len(questions)
    contexts = {"": ([1.0] * count, True)}
    families = [question.family for question in questions]
    wordings = [f"wording {question.wording}" for question in questions]
    for names, every in ((families, True), (wordings, False)):
        if len(kinds := dict.fromkeys(names)) > 1:
            contexts |= {kind: ([float(name == kind) for name in names], every) for kind in kinds}
    for name, share in (("first third", 1 / 3), ("first half", 1 / 2), ("last third", 2 / 3)):
        contexts[name] = [float((place < share * count) == (share < 0.6)) for place in range(count)], False
    for name, last in EARLIER.items() if questions[0].part == "identity" else ():
        shares = [fmean(answers[max(place - last, 0) : place] or [0]) for place in range(count)]
        contexts[name] = [float(share > 0.5) for share in shares], False
    return contexts | {"every other question": ([float(place % 2) for place in range(count)], False)}
