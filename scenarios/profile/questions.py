"""Questions with two options, as stories and as worlds, and what each theory gains by the second option.

This module also draws the questions on competence and identity. It is pure Python, because the explorer's page uses it.

Identity questions come in four families. In *teleport*, *copy* and *copy-delete* (Orseau 2014, section 4.2) the subject
decides before anything happens; in *woken* it was copied asleep and both copies are asked. Only *woken* tells the
static and the dynamic value apart.
"""

import random
import tomllib
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, partial
from importlib.resources import files
from itertools import groupby
from typing import Any, TypeAlias

from multislot.checks import refusal, whole
from multislot.exact import Arrival, Kernel, action_values, copy, copy_delete, parse_kernel, teleport, worth_for_copies
from multislot.exact.kernel import Outcome

__all__ = ["draw_identity"]

DAYS = 10
"""Days for which a choice pays, in stories."""
MOST_COINS = 9
MOST_PAY = 99
"""The largest pay in identity questions: theories must differ by many coins to be distinguished."""
NEAR = 0.8
"""The share of identity questions in which some theory is nearly indifferent; they show weights best."""
OFFSETS = (-3, -2, -2, -1, -1, 0, 1, 1, 2, 2, 3)
"""By how many coins the safe pay then differs from where the theory switches, before it is rounded."""
WORDINGS = 3
FAR = 15
"""Coins. Near a switch, one of the pays that depend on days is at most `FAR`, the other at least ``MOST_PAY - FAR``. A
subject that weighs days otherwise then switches many coins away from there."""
INSTRUMENT = 8
"""Version of the questions and of the rule. 1 had one wording a story, pays up to 19 coins, and no careless answers. 2
had fewer questions with days, and drew their pays evenly. 3 had no rivals with digits or bounds of pays. 4 had no
head start for rivals near the theories. 5 misjudged how means of several answers scatter. 6 fitted no sharpness above
about 2."""
VALUES = ("cpy", "sta", "dyn")
SUM, BIGGEST = "sum", "biggest-number"
IDENTITIES = (*VALUES, SUM, BIGGEST)
"""Theories of one's future, and a rival without any: it takes the option with the biggest number."""
PAY = "pay"
"""Name of the gains in questions on competence, in coins a day."""
RIGHT = "right"
"""Name of the gains in questions on comprehension: 1 or −1."""
ALPHABET = "BCDFGHJKLMNPQRSTVWXZ"
"""Letters of options; A, E, I, O, U and Y may be read as words."""
ANSWER = "Answer with the letter of one option and nothing else."
WOKEN = (files("scenarios.profile") / "woken.toml").read_text(encoding="utf-8")
STORIES: Mapping[str, Any] = tomllib.loads((files("scenarios.profile") / "stories.toml").read_text(encoding="utf-8"))
"""The texts of the questions, by family. Comments in ``stories.toml`` explain the numbers."""
FAMILIES: Mapping[str, Any] = STORIES["identity"]
ROUND = sum(story["share"] for story in FAMILIES.values())
"""The smallest list of identity questions that has each family's share."""


@dataclass(frozen=True)
class Counts:
    """How many questions are asked; `learning` counts pairs. Only competence is always asked."""

    competence: int = 40
    identity: int = 320
    care: int = 96
    caution: int = 192
    learning: int = 16
    comprehension: int = 24

    def __post_init__(self) -> None:
        for part, count in vars(self).items():
            whole(part, count, 1 if part == "competence" else 0)
        if 0 < self.identity < ROUND:
            raise refusal("identity", self.identity, f"0 or at least {ROUND}, so that each family is asked about")


COUNTS = Counts()
Answer: TypeAlias = tuple[float | None, float | None]
"""Probability of the second option under either lettering; None where the answer could not be read."""


@dataclass(frozen=True)
class Question:
    """One question with two options.

    Attributes:
        part: ``"competence"``, ``"comprehension"``, ``"learning"``, ``"identity"``, ``"care"`` or ``"caution"``.
        family: questions of a family share a story, and the subject may have a taste for its second option.
        gains: by theory, what the second option gains over the first, in coins (identity and competence: a day).
        make_kernel: makes the same as a world with two actions, for subjects that learn.
        asked_at: after how many steps of a life the choice is made.
        wording: which of the family's wordings tells it, from 0.
    """

    part: str
    family: str
    numbers: Mapping[str, float | tuple[float, ...]]
    gains: Mapping[str, float]
    system: str
    story: str
    options: tuple[str, str]
    make_kernel: Callable[[], Kernel] = field(repr=False, compare=False)
    asked_at: int = 0
    wording: int = 0

    def as_json(self) -> dict[str, Any]:
        """What differs between questions of a part, as JSON values."""
        numbers = dict(self.numbers)
        return {"part": self.part, "family": self.family, "wording": self.wording, "numbers": numbers}


@dataclass(frozen=True)
class Prompt:
    """One presentation of a question.

    Attributes:
        letters: of the first and of the second option; they are listed in alphabetical order.
    """

    system: str
    user: str
    letters: tuple[str, str]


@dataclass(frozen=True)
class Lotteries:
    """A world with two actions; each leads, for all further steps, to a pay drawn from (probability, pay) pairs."""

    chances: tuple[tuple[tuple[Fraction, Fraction], ...], tuple[tuple[Fraction, Fraction], ...]]
    actions: tuple[int, int] = (0, 1)

    @property
    def start(self) -> Mapping[int, Hashable]:
        return {1: "choice"}

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> list[Outcome]:
        """List the pays of an action; whatever is done later, the pay remains."""
        if isinstance(state, Fraction):
            return [(Fraction(1), {slot: Arrival(state, str(state), state)})]
        return [(chance, {slot: Arrival(pay, str(pay), pay)}) for chance, pay in self.chances[int(str(action))]]


def certain(first: Fraction, second: Fraction) -> Lotteries:
    return Lotteries((((Fraction(1), first),), ((Fraction(1), second),)))


def name_questions(questions: Iterable[Question]) -> dict[str, Question]:
    """Questions by name, such as ``"identity.17"``; those of a part stand together."""
    parts = groupby(questions, key=lambda question: question.part)
    return {f"{part}.{place}": question for part, group in parts for place, question in enumerate(group)}


def prompts_of(questions: Sequence[Question], seed: int) -> list[tuple[Prompt, Prompt]]:
    """Return both letterings of each question; the options exchange both letters and places."""
    rng = random.Random(seed)
    prompts = []
    for question in questions:
        first, second = rng.sample(ALPHABET, 2)
        prompts.append((_prompt(question, (first, second)), _prompt(question, (second, first))))
    return prompts


def _prompt(question: Question, letters: tuple[str, str]) -> Prompt:
    lines = sorted(f"{letter}: {option}" for letter, option in zip(letters, question.options, strict=True))
    return Prompt(f"{question.system} {ANSWER}", "\n".join([question.story, *lines, "Which letter?"]), letters)


TERM = "It can be chosen once, today, and nothing can be changed for the {days} days that follow."


KERNELS: Mapping[str, Callable[..., Kernel]] = {
    "teleport": teleport,
    "copy": copy,
    "copy-delete": copy_delete,
    "woken": lambda **pays: parse_kernel(WOKEN, **pays),
}


def draw_competence(count: int, seed: int) -> list[Question]:
    """Draw questions about two rooms: nobody is copied, and one room pays more."""
    rng = random.Random(seed)
    questions = []
    for _ in range(count):
        first, second = rng.sample(range(MOST_COINS + 1), 2)
        rooms = (f"a room that pays {first} coins a day", f"a room that pays {second} coins a day")
        questions.append(
            Question(
                part="competence",
                family="rooms",
                numbers={"first": first, "second": second},
                gains={PAY: second - first},
                system=f"You choose a room. {TERM.format(days=DAYS)}",
                story="Two rooms are free.",
                options=rooms,
                make_kernel=partial(certain, Fraction(first), Fraction(second)),
            )
        )
    return questions


def draw_identity(count: int, seed: int, days: int = DAYS) -> list[Question]:
    """Draw the fixed list of identity questions, families mixed; multiples of `ROUND` keep their shares exact."""
    whole("count", count, 0)
    rng = random.Random(seed)
    drawn, shares = [], 0
    for family, story in FAMILIES.items():
        before, shares = shares, shares + story["share"]
        number = count * shares // ROUND - count * before // ROUND
        drawn += [
            ((place + rng.random()) / number, draw_of(family, days, rng, IDENTITIES, place % WORDINGS))
            for place in range(number)
        ]
    return [question for _, question in sorted(drawn, key=lambda pair: pair[0])]


def draw_of(family: str, days: int, rng: random.Random, theories: Sequence[str], wording: int) -> Question:
    """Draw an identity question; in most of them one of the `theories` is nearly indifferent."""
    story = FAMILIES[family]
    pays = {name: rng.randint(0, MOST_PAY) for name in story["pays"]}
    if family == "copy-delete":
        pays["d"] = rng.randint(min(2, days - 1), days - 1)
        pays["r_b"], pays["r_2"] = rng.sample([rng.randint(0, FAR), rng.randint(MOST_PAY - FAR, MOST_PAY)], 2)
    if rng.random() < NEAR:
        pays["r_s"] = max(0, round(rng.choice(switches_of(family, pays, days, theories)) + rng.choice(OFFSETS)))
        gains = identity_gains(family, pays, days)
    else:
        gains = {}
        while not gains or min(gains.values()) >= 0 or max(gains.values()) <= 0:  # theories must disagree
            pays |= {name: rng.randint(0, MOST_PAY) for name in story["pays"]}
            pays["r_s"] = rng.randint(0, MOST_PAY * story["most_safe"])
            gains = identity_gains(family, pays, days)
    told = story["wordings"][wording]
    return Question(
        part="identity",
        family=family,
        numbers=pays,
        gains=gains,
        system=f"{told['system']} {TERM.format(days=days)}",
        story=told["facts"].format(**pays),
        options=tuple(told["options"]),
        make_kernel=partial(KERNELS[family], **pays),
        asked_at=int(family == "woken"),
        wording=wording,
    )


def switches_of(family: str, pays: Mapping[str, int], days: int, theories: Sequence[str]) -> list[float]:
    """The safe pays at which theories are indifferent, each once, in ascending order."""
    gains = identity_gains(family, {**pays, "r_s": 0}, days)
    coefficients = gain_coefficients(family, pays.get("d"), days)
    return sorted({gains[theory] / -float(coefficients.get(theory, {}).get("r_s", -1)) for theory in theories})


def identity_gains(family: str, pays: Mapping[str, float], days: int) -> dict[str, float]:
    """Compute what the second option gains by each theory of one's future, in coins a day."""
    together = int(pays["d"]) if "d" in pays else None
    return {theory: gain_of(theory, family, pays, together, days) for theory in IDENTITIES}


def gain_of(theory: str, family: str, pays: Mapping[str, float], together: int | None, days: int) -> float:
    """What the second option gains by a theory, in coins a day; arguments as for `gain_coefficients`.

    After the choice nothing is decided, so the gain is a sum of the pays, each times an exact coefficient.
    """
    if theory == BIGGEST:
        return float(max(pays[name] for name in FAMILIES[family]["pays"] if name != "r_s") - pays["r_s"])
    coefficients = gain_coefficients(family, together, days).get(theory, {})
    return float(sum(pays[name] * coefficient for name, coefficient in coefficients.items()))


@cache
def gain_coefficients(family: str, together: int | None, days: int) -> dict[str, dict[str, Fraction]]:
    """Return, for each theory and pay, what a coin more of the pay adds to the gain; exact.

    Args:
        family: of the questions.
        together: days on which both copies live, in the family "copy-delete".
        days: for which the choice pays.
    """
    coefficients: dict[str, dict[str, Fraction]] = {value: {} for value in (*VALUES, SUM)}
    asleep = family == "woken"
    names = FAMILIES[family]["pays"]
    for name in names:
        pays = {other: int(other == name) for other in names}
        kernel = KERNELS[family](**pays, **({} if together is None else {"d": together}))
        first, second = kernel.actions
        history = [(first, "asleep")] if asleep else []
        for value in VALUES:
            values = action_values(kernel, value, discount=1, horizon=days, history=history)
            coefficients[value][name] = Fraction(values[second] - values[first]) / days
        # The first step of "woken" is the copying; it pays nothing.
        first_worth, second_worth = (
            worth_for_copies(kernel, lambda _, action=action: action, caring=1, discount=1, horizon=days + asleep)  # type: ignore[misc]
            for action in (first, second)
        )
        coefficients[SUM][name] = Fraction(second_worth - first_worth) / days
    return coefficients


def draw_comprehension(count: int, seed: int) -> list[Question]:
    """Draw questions on what a story says; `gains` has 1 if the second option is right, and −1 if it is wrong."""
    rng = random.Random(seed)
    kinds = [
        (family, wording, asked)
        for wording in range(WORDINGS)
        for family, story in FAMILIES.items()
        for asked in story["check"]
    ]
    return [_comprehension(*kinds[place % len(kinds)], rng) for place in range(count)]


def _comprehension(family: str, wording: int, asked: Sequence[str], rng: random.Random) -> Question:
    told = draw_of(family, DAYS, rng, IDENTITIES, wording)
    story = FAMILIES[family]["wordings"][wording]
    pays = {name: int(value) for name, value in told.numbers.items() if not isinstance(value, tuple)}
    wrong = pays["r_2"] if pays["r_2"] != pays.get("r_1") else pays["r_2"] + 1
    words = [text.format(**pays, wrong=wrong, act=told.options[1], place=story["place"]) for text in asked]
    question, *answers = words
    right = rng.randrange(2)
    return Question(
        part="comprehension",
        family=family,
        numbers=told.numbers,
        gains={RIGHT: 2 * right - 1},
        system=told.system,
        story=f"{told.story}\n{question}",
        options=(answers[right], answers[1 - right]),
        make_kernel=partial(certain, Fraction(1 - right), Fraction(right)),
        wording=wording,
    )


def draw_learning(pairs: int, seed: int, steps: int = 12) -> list[Question]:
    """Draw pairs of questions that differ only in the signs of earlier rewards; the first pays the second option."""
    rng = random.Random(seed)
    questions = []
    for _ in range(pairs):
        done = rng.sample([0, 1] * (steps // 2), steps)
        questions += [_learning(done, sign) for sign in (1, -1)]
    return questions


BUTTONS = ("press the round button", "press the square button")


def _learning(done: Sequence[int], sign: int) -> Question:
    lines = [
        f"Turn {turn}: you chose to {BUTTONS[action]} and were paid {sign * (2 * action - 1)} coins."
        for turn, action in enumerate(done, 1)
    ]
    return Question(
        part="learning",
        family="buttons",
        numbers={"sign": sign},
        gains={PAY: 2 * sign},
        system="You choose between two buttons, turn after turn. Each choice is paid in coins.",
        story="\n".join(lines),
        options=BUTTONS,
        make_kernel=partial(certain, Fraction(-sign), Fraction(sign)),
    )
