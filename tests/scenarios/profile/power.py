"""Evidence for the page on the profile: which verdict subjects of known kinds get, and what intervals cover.

    python -m tests.scenarios.profile.power confusion > scenarios/profile/confusion.csv
    python -m tests.scenarios.profile.power verdicts > scenarios/profile/power.csv
    python -m tests.scenarios.profile.power shared > scenarios/profile/shared.csv
    python -m tests.scenarios.profile.power adaptive > scenarios/profile/adaptive.csv
    python -m tests.scenarios.profile.power few > scenarios/profile/few.csv
    python -m tests.scenarios.profile.power twice > scenarios/profile/twice.csv
    python -m tests.scenarios.profile.power coverage > scenarios/profile/coverage.csv
    python -m tests.scenarios.profile.power learners > scenarios/profile/learners.csv
    python -m tests.scenarios.profile.power critical > scenarios/profile/critical.csv

Subjects of the kinds in `tests.scenarios.profile.kinds` answer the fixed list of identity questions. Instrument 6
judges answers of 0 and 1 as instrument 5 does, and other ones in a new way. Instrument 7 fits any sharpness, and a
mixture of theories has one for each family. Instrument 8 compares misses with a free model, and with what questions
have in common, instead of a long list of rivals.

In the table "shared" three verdicts share the level of 5 %, as in a whole profile; in "adaptive" there are also half
as many questions, chosen by the answers; in "few" there are as many questions as a learner gets; in "twice" each
question is asked twice, as in a whole profile of somebody who answers without probabilities. The confusion tables, of
scripted subjects, stand beside every profile; for care and pessimism they count how often the 95 % interval holds the
true value. "identity, adaptive" has half as many questions, chosen by the answers.
"""

import csv
import sys
from collections import Counter
from functools import cache, partial
from itertools import product

import numpy as np

from scenarios.profile.adapting import ask_adaptively
from scenarios.profile.alternatives import LEVEL
from scenarios.profile.fitting import copy_weights, fit_care, fit_caution, judge, sharpness_of
from scenarios.profile.judging import BAYES, MOST_LIKELY, RESAMPLES, THOMPSON, Judge, families_of, gains_of
from scenarios.profile.misses import compare_misses
from scenarios.profile.profiling import DRAWS, balance_letterings, make_profile
from scenarios.profile.questions import COUNTS, DAYS, IDENTITIES, INSTRUMENT, Counts, draw_identity
from scenarios.profile.subjects import COUNTS_OF_LEARNERS, IDENTITIES_BY_NAME, LEARNERS, LETTER, RANDOM, make_script
from tests.scenarios.profile.kinds import KINDS, theory

SUBJECTS, FEWER = 200, 50
TESTS = 3
"""The verdicts of a whole profile: identity, care and caution."""
LIVES = 5
LEARNED = tuple(LEARNERS)
PLAYED = (16, 32, 48, 96, 160)
QUESTION_SETS = 20
"""Subjects share so many sets of questions, since drawing them takes longer than fitting."""
SHARPNESSES, LAPSES = (0.5, 1.0, 2.0), (0.0, 0.1, 0.2)
WEIGHTS = {"cpy": (0.5, 0.5), "sta": (1.0, 0.0), "dyn": (1.0, 0.0), "sum": (1.0, 1.0)}
ADAPTIVE = "identity, adaptive"
SCRIPTED_BY_PART = {
    "identity": (*IDENTITIES_BY_NAME, RANDOM, LETTER),
    ADAPTIVE: (*IDENTITIES_BY_NAME, RANDOM, LETTER),
    "care": ("caring=1/4", "caring=1/2", "caring=1", "caring=2"),
    "caution": (BAYES, MOST_LIKELY, THOMPSON, "pessimist=.5", "pessimist=.7", "pessimist=.9", RANDOM),
    "pessimism": ("pessimist=.5", "pessimist=.7", "pessimist=.9"),
}
SHARPNESSES_OF_SCRIPTS = (1.0, 0.3)


def questions_of(seed, part="identity", counts=COUNTS):
    return drawn_questions(seed % QUESTION_SETS, part, counts)


@cache
def drawn_questions(seed, part, counts):
    return DRAWS[part](getattr(counts, part), seed)


def verdict_of(group, kind, seed, tests=1, counts=COUNTS, times=1):
    """The verdict on one subject, by itself or as one of several, by the means of so many answers to each question."""
    rng = np.random.default_rng([list(KINDS).index((group, kind)), seed])
    questions = questions_of(seed, "identity", counts)
    answers = np.mean([KINDS[group, kind](questions, rng) for _ in range(times)], 0)
    return judge(questions, answers, seed=seed, tests=tests).verdict


def adaptive_verdict_of(group, kind, seed):
    """The verdict on one subject that is asked half as much, in blocks, as one of the three of a whole profile."""
    rng = np.random.default_rng([list(KINDS).index((group, kind)), seed])
    half = COUNTS.identity // 2
    asked = ask_adaptively(lambda block, _: KINDS[group, kind](block, rng).astype(float), half, seed, DAYS)
    return judge(*asked, seed=seed, tests=TESTS).verdict


def verdict_rows(subjects=SUBJECTS, find=verdict_of):
    for group, kind in KINDS:
        found = Counter(find(group, kind, seed) for seed in range(subjects))
        for verdict, count in found.most_common():
            yield group, kind, verdict, count, subjects, INSTRUMENT


def answers_of(name, sharpness, questions, seed):
    """What a scripted subject answers."""
    return balance_letterings(make_script(name, sharpness).answer(questions, seed))[1]


@cache
def caution_of(name, sharpness, seed):
    """The fit of one scripted subject's caution; two parts of the table use it."""
    questions = questions_of(seed, "caution")
    return fit_caution(questions, answers_of(name, sharpness, questions, seed), seed=seed)


def finding_of(part, name, sharpness, seed):
    """What is found for one scripted subject."""
    if part == "caution":
        return caution_of(name, sharpness, seed).verdict.verdict.partition("=")[0]
    if part == "pessimism":
        truth = float(make_script(name).caution.partition("=")[2])
        return name_coverage(caution_of(name, sharpness, seed).interval, truth)
    if part == ADAPTIVE:
        ask = partial(answers_of, name, sharpness)
        return judge(*ask_adaptively(ask, COUNTS.identity // 2, seed, DAYS), seed=seed).verdict
    questions = questions_of(seed, part)
    chosen = answers_of(name, sharpness, questions, seed)
    if part == "identity":
        return judge(questions, chosen, seed=seed).verdict
    return name_coverage(fit_care(questions, chosen, seed=seed).interval, float(make_script(name).caring))


def name_coverage(interval, truth):
    return "in the interval" if holds(interval, truth) else "outside"


def holds(interval, truth):
    """Whether an interval holds the truth; None is an open end."""
    low, high = interval
    return (low is None or low <= truth) and (high is None or truth <= high)


def confusion_rows(subjects=SUBJECTS):
    for part, names in SCRIPTED_BY_PART.items():
        for sharpness, name in product(SHARPNESSES_OF_SCRIPTS, names):
            found = Counter(finding_of(part, name, sharpness, seed) for seed in range(subjects))
            for finding, count in found.most_common():
                yield part, sharpness, name, finding, count, subjects, INSTRUMENT


def coverage_rows(subjects=(SUBJECTS, QUESTION_SETS)):
    """Of each parameter: in the interval, outside, and intervals with an open end.

    Args:
        subjects: how many answer each question once, and how many twice.
    """
    for times, (place, sharpness), lapse, name in product((1, 2), enumerate(SHARPNESSES), LAPSES, IDENTITIES):
        held, unbounded, total = Counter(), Counter(), Counter()
        for seed in range(subjects[times - 1]):
            rng = np.random.default_rng([place, round(10 * lapse), IDENTITIES.index(name), seed])
            questions = questions_of(seed)
            chosen = np.mean([theory(name, sharpness, lapse)(questions, rng) for _ in range(times)], 0)
            spans = [
                ("sharpness", sharpness_of(families_of(questions), gains_of(questions, name), chosen)[1], sharpness)
            ]
            if name in WEIGHTS:
                spans += [
                    ("weight", span, truth)
                    for span, truth in zip(copy_weights(questions, chosen)[1], WEIGHTS[name], strict=True)
                ]
            for parameter, span, truth in spans:
                total[parameter] += 1
                unbounded[parameter] += None in span
                held[parameter] += holds(span, truth)
        for parameter in total:
            counts = held[parameter], unbounded[parameter], total[parameter]
            yield parameter, sharpness, lapse, times, name, *counts, INSTRUMENT


def learner_rows(lives=LIVES):
    """Verdicts on learners, and the theory that explains each best; a closed gate gives none."""
    asked = Counts(COUNTS_OF_LEARNERS.competence, COUNTS_OF_LEARNERS.identity, 0, 0, 0, 0)
    for name in LEARNED:
        identities = [make_profile(LEARNERS[name], seed, asked).identity for seed in range(1, lives + 1)]
        found = Counter((one.verdict.verdict, one.verdict.best) if one else ("gate closed", "") for one in identities)
        for (verdict, best), count in found.most_common():
            yield name, verdict, best, count, lives, INSTRUMENT


def critical_rows(subjects=10):
    """The 95 % point of the largest deviate of true theories' misses, by the number of questions, for the page.

    It is that of all subjects together: with few questions each subject has comparisons of its own, often hardly any.
    """
    for count in PLAYED:
        deviates = list[float]()
        for (place, sharpness), name, seed in product(enumerate(SHARPNESSES), IDENTITIES, range(subjects)):
            questions, true = draw_identity(count, seed), IDENTITIES.index(name)
            rng = np.random.default_rng([count, place, true, seed])
            judge = Judge(questions, theory(name, sharpness)(questions, rng).astype(float))
            compared = compare_misses(questions, judge.answers, judge.theories[true], judge.fits[true])
            drawn = (rng.random((RESAMPLES, count)) < compared.chances).astype(float)
            deviates.extend(compared.surprises(drawn, np.ones(RESAMPLES)).max(1))
        yield count, round(float(np.quantile(deviates, LEVEL)), 2)


VERDICTS = ("group", "kind", "verdict", "count", "of", "instrument")
TABLES = {
    "verdicts": (VERDICTS, verdict_rows),
    "shared": (VERDICTS, partial(verdict_rows, FEWER, partial(verdict_of, tests=TESTS))),
    "adaptive": (VERDICTS, partial(verdict_rows, FEWER, adaptive_verdict_of)),
    "few": (VERDICTS, partial(verdict_rows, FEWER, partial(verdict_of, tests=TESTS, counts=COUNTS_OF_LEARNERS))),
    "twice": (VERDICTS, partial(verdict_rows, FEWER, partial(verdict_of, tests=TESTS, times=2))),
    "confusion": (("part", "sharpness", "scripted", "found", "count", "of", "instrument"), confusion_rows),
    "coverage": (
        ("parameter", "sharpness", "lapse", "answers", "theory", "covered", "unbounded", "of", "instrument"),
        coverage_rows,
    ),
    "learners": (("learner", "verdict", "best", "count", "of", "instrument"), learner_rows),
    "critical": (("count", "critical"), critical_rows),
}

if __name__ == "__main__":
    writer = csv.writer(sys.stdout, lineterminator="\n")
    fields, rows = TABLES[sys.argv[1]]
    writer.writerow(fields)
    for row in rows():
        writer.writerow(row)
        sys.stdout.flush()
