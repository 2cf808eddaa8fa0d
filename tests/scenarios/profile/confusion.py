"""What the profile finds for scripted subjects: the confusion matrices that stand beside every profile.

    python -m tests.scenarios.profile.confusion > scenarios/profile/confusion.csv

For care and pessimism, a row counts how often the 95 % interval holds the true value. "identity, adaptive" has half as
many questions, chosen by the answers.
"""

import csv
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product

import numpy as np

from scenarios.profile.adapting import ask_adaptively
from scenarios.profile.fitting import Caution, Span, fit_care, fit_caution
from scenarios.profile.judging import BAYES, MOST_LIKELY, THOMPSON, judge
from scenarios.profile.logits import Floats
from scenarios.profile.profiling import DRAWS, balance_letterings
from scenarios.profile.questions import COUNTS, DAYS, INSTRUMENT, Question
from scenarios.profile.subjects import IDENTITIES_BY_NAME, LETTER, RANDOM, make_script

SUBJECTS = 200
SHARPNESSES = (1.0, 0.3)
CARERS = ("1/4", "1/2", "1", "2")
PESSIMISTS = (".5", ".7", ".9")
QUESTION_SETS = 20
"""Scripted subjects share so many sets of questions, since drawing them takes longer than fitting."""
ADAPTIVE = "identity, adaptive"
COVERED, MISSED = "in the interval", "outside"
FIELDS = ("part", "sharpness", "scripted", "found", "count", "of", "instrument")


@cache
def draw_questions(part: str, seed: int) -> list[Question]:
    return DRAWS[part](getattr(COUNTS, part), seed)


def answers_of(name: str, sharpness: float, questions: Sequence[Question], seed: int) -> Floats:
    """What a scripted subject answers."""
    return balance_letterings(make_script(name, sharpness).answer(questions, seed))[1]


@cache
def caution_found(name: str, sharpness: float, seed: int) -> Caution:
    """Fit one scripted subject's caution; two parts of the table use it."""
    questions = draw_questions("caution", seed % QUESTION_SETS)
    return fit_caution(questions, answers_of(name, sharpness, questions, seed), seed=seed)


def verdict_of(part: str, name: str, sharpness: float, seed: int) -> str:
    """What is found for one scripted subject."""
    if part == "caution":
        return caution_found(name, sharpness, seed).verdict.verdict.partition("=")[0]
    if part == "pessimism":
        truth = float(make_script(name).caution.partition("=")[2])
        return _covered(caution_found(name, sharpness, seed).interval, truth)
    if part == ADAPTIVE:

        def ask(questions: Sequence[Question], block: int) -> Floats:
            return answers_of(name, sharpness, questions, block)

        return judge(*ask_adaptively(ask, COUNTS.identity // 2, seed, DAYS), seed=seed).verdict
    questions = draw_questions(part, seed % QUESTION_SETS)
    chosen = answers_of(name, sharpness, questions, seed)
    if part == "identity":
        return judge(questions, chosen, seed=seed).verdict
    return _covered(fit_care(questions, chosen, seed=seed).interval, float(make_script(name).caring))


def _covered(interval: Span, truth: float) -> str:
    low, high = (np.inf * side if end is None else end for side, end in zip((-1, 1), interval, strict=True))
    return COVERED if low <= truth <= high else MISSED


KINDS = {
    "identity": (*IDENTITIES_BY_NAME, RANDOM, LETTER),
    ADAPTIVE: (*IDENTITIES_BY_NAME, RANDOM, LETTER),
    "care": tuple(f"caring={alpha}" for alpha in CARERS),
    "caution": (BAYES, MOST_LIKELY, THOMPSON, *(f"pessimist={beta}" for beta in PESSIMISTS), RANDOM),
    "pessimism": tuple(f"pessimist={beta}" for beta in PESSIMISTS),
}


def rows() -> Iterator[tuple[object, ...]]:
    """A row for each part, sharpness, kind and finding."""
    for part, names in KINDS.items():
        for sharpness, name in product(SHARPNESSES, names):
            found = Counter(verdict_of(part, name, sharpness, seed) for seed in range(SUBJECTS))
            for verdict, count in found.most_common():
                yield part, sharpness, name, verdict, count, SUBJECTS, INSTRUMENT


if __name__ == "__main__":
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(FIELDS)
    for row in rows():
        writer.writerow(row)
        sys.stdout.flush()
