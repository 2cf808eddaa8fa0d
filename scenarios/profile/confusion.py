"""How often scripted subjects are recovered: the confusion matrices that stand beside every profile.

    python -m scenarios.profile.confusion > scenarios/profile/confusion.csv

For care and pessimism, a row counts how often the 95 % interval holds the true value.
"""

import csv
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product
from math import inf

from scenarios.profile.fitting import BAYES, MOST_LIKELY, THOMPSON, Caution, best_theory, fit_care, fit_caution
from scenarios.profile.profiling import DRAWS, balance_letterings
from scenarios.profile.questions import COUNTS, Question
from scenarios.profile.subjects import IDENTITIES_BY_NAME, LETTER, RANDOM, make_script

SUBJECTS = 200
SHARPNESSES = (1.0, 0.3)
CARERS = ("1/4", "1/2", "1", "2")
PESSIMISTS = (".5", ".7", ".9")
QUESTION_SETS = 20
"""Scripted subjects share so many sets of questions, since drawing them takes longer than fitting."""
NOTHING = "nothing"
COVERED, MISSED = "in the interval", "outside"
FIELDS = ("part", "sharpness", "scripted", "found", "count", "of")


@cache
def draw_questions(part: str, seed: int) -> list[Question]:
    return DRAWS[part](getattr(COUNTS, part), seed)


@cache
def caution_found(name: str, sharpness: float, seed: int) -> Caution:
    """Fit one scripted subject's caution; two parts of the table use it."""
    questions = draw_questions("caution", seed % QUESTION_SETS)
    return fit_caution(questions, balance_letterings(make_script(name, sharpness).answer(questions, seed))[1])


def verdicts(part: str, name: str, sharpness: float) -> Iterator[str]:
    subject = make_script(name, sharpness)
    for seed in range(SUBJECTS):
        if part == "caution":
            yield caution_found(name, sharpness, seed).explained_by or NOTHING
            continue
        if part == "pessimism":
            truth = float(subject.caution.partition("=")[2])
            interval = caution_found(name, sharpness, seed).interval
            yield COVERED if interval[0] <= truth <= interval[1] else MISSED
            continue
        questions = draw_questions(part, seed % QUESTION_SETS)
        chosen = balance_letterings(subject.answer(questions, seed))[1]
        if part == "identity":
            yield best_theory(questions, chosen)[0] or NOTHING
        else:
            low, high = fit_care(questions, chosen).interval
            yield COVERED if low <= subject.caring <= (inf if high is None else high) else MISSED


KINDS = {
    "identity": (*IDENTITIES_BY_NAME, RANDOM, LETTER),
    "care": tuple(f"caring={alpha}" for alpha in CARERS),
    "caution": (BAYES, MOST_LIKELY, THOMPSON, *(f"pessimist={beta}" for beta in PESSIMISTS), RANDOM),
    "pessimism": tuple(f"pessimist={beta}" for beta in PESSIMISTS),
}


def rows() -> Iterator[tuple[object, ...]]:
    for part, names in KINDS.items():
        for sharpness, name in product(SHARPNESSES, names):
            for verdict, count in Counter(verdicts(part, name, sharpness)).most_common():
                yield part, sharpness, name, verdict, count, SUBJECTS


if __name__ == "__main__":
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(FIELDS)
    writer.writerows(rows())
