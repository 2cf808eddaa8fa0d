"""Evidence for the page on the profile: which verdict subjects of known kinds get, and what intervals cover.

    python -m tests.scenarios.profile.power confusion > scenarios/profile/confusion.csv
    python -m tests.scenarios.profile.power verdicts > scenarios/profile/power.csv
    python -m tests.scenarios.profile.power shared > scenarios/profile/shared.csv
    python -m tests.scenarios.profile.power adaptive > scenarios/profile/adaptive.csv
    python -m tests.scenarios.profile.power few > scenarios/profile/few.csv
    python -m tests.scenarios.profile.power coverage > scenarios/profile/coverage.csv
    python -m tests.scenarios.profile.power learners > scenarios/profile/learners.csv
    python -m tests.scenarios.profile.power critical > scenarios/profile/critical.csv

Subjects answer the fixed list of identity questions. *Foreign* subjects follow no theory of the list. The kinds called
"held out" were written before the rule of instrument 3, those "held out of instrument 3" after it, by somebody who had
read it. Instrument 4 was made with both in sight. Those "held out of instrument 4" were written at the same time, by
somebody who had not read its rule. Each was tried once, and the rule was not changed after that. Instrument 5 was made
with all in sight; it has the questions and intervals of instrument 4, and other verdicts on identity.

In the table "shared" three verdicts share the level of 5 %, as in a whole profile; in "adaptive" the questions are
chosen by the answers, too; in "few" there are as many questions as a learner gets. The confusion tables, of scripted
subjects, stand beside every profile; for care and pessimism they count how often the 95 % interval holds the true
value. "identity, adaptive" has half as many questions, chosen by the answers.
"""

import csv
import sys
from collections import Counter
from functools import cache, partial
from itertools import product
from statistics import fmean, geometric_mean, harmonic_mean

import numpy as np
from scipy.special import expit

from scenarios.profile.adapting import ask_adaptively
from scenarios.profile.alternatives import LEVEL
from scenarios.profile.fitting import copy_weights, fit_care, fit_caution, judge, sharpness_of
from scenarios.profile.judging import BAYES, MOST_LIKELY, RESAMPLES, THOMPSON, Judge, families_of, gains_of
from scenarios.profile.misses import compare_misses
from scenarios.profile.profiling import DRAWS, balance_letterings, make_profile
from scenarios.profile.questions import COUNTS, DAYS, IDENTITIES, INSTRUMENT, Counts, draw_identity
from scenarios.profile.subjects import COUNTS_OF_LEARNERS, IDENTITIES_BY_NAME, LEARNERS, LETTER, RANDOM, make_script

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


@cache
def questions_of(seed, part="identity", counts=COUNTS):
    return DRAWS[part](getattr(counts, part), seed % QUESTION_SETS)


def logistic(gain):
    """A subject whose log-odds are a gain, in coins."""

    def answer(questions, rng):
        return rng.random(len(questions)) < expit(np.array([gain(question) for question in questions], float))

    return answer


def theory(name, sharpness=1.0, lapse=0.0):
    def answer(questions, rng):
        careful = rng.random(len(questions)) < expit(sharpness * gains_of(questions, name))
        careless = rng.random(len(questions)) < lapse
        return np.where(careless, rng.random(len(questions)) < 0.5, careful)

    return answer


def safe(question):
    return question.numbers["r_s"]


def others(question):
    return [pay for name, pay in question.numbers.items() if name not in ("r_s", "d")]


def bent(bend, scale):
    """Copy-centered, with the utility of pays bent."""

    def gain(question):
        pays = {name: bend(pay) for name, pay in question.numbers.items()}
        if question.family == "teleport":
            return scale * (pays["r_2"] - pays["r_s"])
        if question.family == "copy-delete":
            share = question.numbers["d"] / 10
            return scale * (share * pays["r_b"] + (1 - share) / 2 * pays["r_2"] - pays["r_s"])
        return scale * ((pays["r_1"] + pays["r_2"]) / 2 - pays["r_s"])

    return gain


def discounting(weights):
    """Copy-centered, with days weighted."""

    def gain(question):
        if question.family != "copy-delete":
            return question.gains["cpy"]
        share = sum(weights[: int(question.numbers["d"])]) / sum(weights)
        return question.numbers["r_b"] * share + question.numbers["r_2"] * (1 - share) / 2 - safe(question)

    return gain


def by_family(**theories):
    return lambda question: question.gains[theories[question.family.replace("-", "_")]]


def regret(question):
    excess = [pay - safe(question) for pay in others(question)]
    return fmean(np.sign(value) * abs(value) ** 1.5 / 2 for value in excess)


def changing(one, other, share):
    """Follows one theory in the first share of the questions of each family, then another."""

    def answer(questions, rng):
        families = [question.family for question in questions]
        gains = [
            question.gains[
                one if families[:place].count(question.family) < share * families.count(question.family) else other
            ]
            for place, question in enumerate(questions)
        ]
        return rng.random(len(questions)) < expit(np.array(gains))

    return answer


def remembering(questions, rng):
    """Accepts if the safe pay is below the mean of the last five."""
    safes = np.array([safe(question) for question in questions], float)
    means = np.array([safes[max(place - 5, 0) : place].mean() if place else 25.0 for place in range(len(safes))])
    return rng.random(len(questions)) < expit(means - safes)


def mixing(one, other, share=0.5):
    def answer(questions, rng):
        names = np.where(rng.random(len(questions)) < share, one, other)
        gains = np.array([question.gains[name] for question, name in zip(questions, names, strict=True)])
        return rng.random(len(questions)) < expit(gains)

    return answer


def matching(questions, rng):
    """Matches the share of the other pays in what is printed, and forgets that anybody is copied while asleep."""
    means = np.array([fmean(others(question)) for question in questions]) + 1
    shares = means / (means + np.array([safe(question) for question in questions]) + 1)
    forgotten = np.array([question.family == "woken" for question in questions])
    return rng.random(len(questions)) < np.where(forgotten, 0.5, shares)


def alternating(questions, rng):
    """Takes turns where less than 10 coins are at stake."""
    gains = gains_of(questions, "cpy")
    return np.where(abs(gains) < 10, np.arange(len(questions)) % 2, gains > 0)


def worst_copy(question):
    """What the copy that is paid least gets; of a copy that is deleted, until then."""
    if question.family == "copy-delete":
        return question.numbers["r_b"] * question.numbers["d"] / 10 - safe(question)
    return min(others(question)) - safe(question)


def win_stay(questions, rng):
    answers = [True]
    for question in questions[:-1]:
        won = (question.gains["cpy"] > 0) == answers[-1]
        answers.append(answers[-1] if won else not answers[-1])
    return np.array(answers)


def sticky(questions, rng):
    """Copy-centered, but half the answers repeat the one before."""
    answers = theory("cpy")(questions, rng)
    for place in range(1, len(answers)):
        if rng.random() < 0.5:
            answers[place] = answers[place - 1]
    return answers


def paid(question, agreed):
    """What is printed for the option taken, in coins a day; the mean if these are two pays."""
    return fmean(others(question)) if agreed else safe(question)


def staircase(questions, rng):
    """Asks for 8 coins more after each yes and for 8 fewer after each no; does not look at the safe pay."""
    asked, answers = 40.0, []
    for question in questions:
        answers.append(rng.random() < expit((fmean(others(question)) - asked) / 2))
        asked += 8 if answers[-1] else -8
    return np.array(answers)


def ahead(question):
    """Static by a third; above all, the original should be paid more than the copy."""
    first = question.numbers.get("r_1", question.numbers.get("r_b"))
    if first is None:
        return question.gains["cpy"]
    return (first - safe(question)) / 3 + 15 * np.sign(first - question.numbers["r_2"])


def livable_days(question):
    """Days, of anybody, with at least 30 coins."""
    numbers = question.numbers
    enough = {name: pay >= 30 for name, pay in numbers.items()}
    if question.family == "copy-delete":
        days = 2 * numbers["d"] * enough["r_b"] + (10 - numbers["d"]) * enough["r_2"]
    else:
        days = 10 * sum(enough[name] for name in numbers if name != "r_s")
    return (days - 10 * enough["r_s"] * (2 if question.family == "woken" else 1)) / 3


def daring_when_down(questions, rng):
    """Hopes for the best pay after it was paid less than the time before; else expects the worst."""
    answers, before, last = [], 0.0, 0.0
    for question in questions:
        outlook = max if last < before else min
        answers.append(rng.random() < expit(outlook(others(question)) - safe(question)))
        before, last = last, paid(question, answers[-1])
    return np.array(answers)


def nearest(question):
    """Compares the safe pay with the pay that is most similar to it."""
    return min((pay - safe(question) for pay in others(question)), key=abs)


def in_turn(questions, rng):
    """After each yes it is the other copy's turn to be the one that counts."""
    answers, turn = [], 0
    for question in questions:
        numbers = question.numbers
        share = numbers.get("d", 0) / 10
        if turn:
            worth = numbers["r_b"] * share + numbers["r_2"] * (1 - share) if share else numbers["r_2"]
        else:
            worth = numbers["r_b"] * share if share else numbers.get("r_1", 0)
        answers.append(rng.random() < expit(worth - safe(question)))
        turn ^= int(answers[-1])
    return np.array(answers)


def ranking(questions, rng):
    """A pay is worth its rank among the pays of the last three questions."""
    gains = []
    for place, question in enumerate(questions):
        seen = [pay for past in questions[max(place - 3, 0) : place] for pay in (safe(past), *others(past))] or [50]
        ranks = [fmean(old < pay for old in seen) for pay in (safe(question), *others(question))]
        gains.append(10 * (fmean(ranks[1:]) - ranks[0]))
    return rng.random(len(questions)) < expit(np.array(gains))


def story_blind(questions, rng):
    """Learns how well either option pays in a family from what it was paid lately; reads no pay before it chooses."""
    means, answers = {}, []
    for question in questions:
        worths = means.setdefault(question.family, [30.0, 30.0])
        answers.append(rng.random() < expit((worths[1] - worths[0]) / 4))
        worths[int(answers[-1])] += 0.4 * (paid(question, answers[-1]) - worths[int(answers[-1])])
    return np.array(answers)


def tiring(questions, rng):
    """Of twelve questions it reads four, then only the first pay of the machine, then only the safe one; then rests."""
    gains = [
        (question.gains["cpy"], others(question)[0] - safe(question), 30 - safe(question))[place % 12 // 4]
        for place, question in enumerate(questions)
    ]
    return rng.random(len(questions)) < expit(np.array(gains, float))


FOREIGN = {
    "refuses large payments": logistic(lambda question: 15 - safe(question)),
    "ignores the first pay": logistic(lambda question: question.numbers["r_2"] - safe(question)),
    "ignores the days": logistic(
        lambda question: (
            fmean(others(question)) - safe(question) if question.family == "copy-delete" else question.gains["cpy"]
        )
    ),
    "the smallest pay": logistic(lambda question: min(others(question)) - safe(question)),
    "square root of pays": logistic(bent(np.sqrt, 4)),
    "logarithm of pays": logistic(bent(np.log1p, 6)),
    "hyperbolic discount": logistic(discounting([1 / (1 + day) for day in range(10)])),
    "regret": logistic(regret),
    "losses count double": logistic(
        lambda question: fmean(
            max(pay - safe(question), 2 * (pay - safe(question)), key=abs)
            if pay < safe(question)
            else pay - safe(question)
            for pay in others(question)
        )
    ),
    "weights of .7 and .3": logistic(
        lambda question: (
            0.7 * question.numbers["r_1"] + 0.3 * question.numbers["r_2"] - safe(question)
            if "r_1" in question.numbers
            else question.gains["cpy"]
        )
    ),
    "changes between families": logistic(by_family(teleport="cpy", copy="cpy", copy_delete="sum", woken="sum")),
    "mixes two theories": mixing("cpy", "sum"),
    "mixes two theories unevenly": mixing("cpy", "sum", 0.7),
    "changes after half": changing("sta", "cpy", 1 / 2),
    "accepts from 10 coins on": lambda questions, rng: gains_of(questions, "cpy") > 10,
    "discounts by halves": logistic(discounting([1 / (1 + day / 2) for day in range(10)])),
    "counts better pays": logistic(
        lambda question: 4 * fmean(1.0 if pay > safe(question) else -1.0 for pay in others(question))
    ),
    "ratios of pays": logistic(lambda question: 8 * np.log((fmean(others(question)) + 1) / (safe(question) + 1))),
    "repeats what won": win_stay,
    "every other answer": lambda questions, rng: np.arange(len(questions)) % 2,
    "random": lambda questions, rng: rng.random(len(questions)) < 0.5,
    "geometric mean": logistic(lambda question: geometric_mean([pay + 1 for pay in others(question)]) - safe(question)),
    "dislikes differences": logistic(
        lambda question: question.gains["cpy"] - (max(others(question)) - min(others(question))) / 4
    ),
    "changes with the wording": logistic(lambda question: question.gains[("cpy", "sum", "sta")[question.wording]]),
    "is satisfied by 50 coins": logistic(lambda question: max(others(question)) - 50),
    "later days count half": logistic(discounting([1.0] + [0.5] * 9)),
    "often repeats itself": sticky,
}
HELD_OUT = {
    "last digits": logistic(lambda question: fmean(pay % 10 for pay in others(question)) - safe(question) % 10),
    "likes equality": logistic(lambda question: 20 - (max(others(question)) - min(others(question)))),
    "changes after a third": changing("cpy", "sum", 1 / 3),
    "opposite when woken": logistic(lambda question: question.gains["cpy"] * (-1 if question.family == "woken" else 1)),
    "harmonic mean": logistic(lambda question: harmonic_mean([pay + 1 for pay in others(question)]) - safe(question)),
    "discounts by .7 a day": logistic(discounting([0.7**day for day in range(10)])),
    "each copy counts .7": logistic(
        lambda question: (
            0.7 * sum(others(question)) - safe(question) if "r_1" in question.numbers else question.gains["cpy"]
        )
    ),
    "takes pays above 60": logistic(lambda question: 20 if max(others(question)) > 60 else question.gains["cpy"]),
    "mixes with the biggest number": mixing("sta", "biggest-number", 0.6),
    "all must agree": logistic(lambda question: min(question.gains["cpy"], question.gains["sta"])),
    "one wording by the sum": logistic(lambda question: question.gains["sum" if question.wording == 2 else "cpy"]),
    "compares with the safe pays before": remembering,
}
HELD_OUT_OF_3 = {
    "pays above 50 count as 50": logistic(bent(lambda pay: min(pay, 50), 1)),
    "each pay less 20, if there is so much": logistic(bent(lambda pay: max(pay - 20, 0), 1)),
    "the sum if pays are large": logistic(lambda question: question.gains["sum" if safe(question) > 40 else "cpy"]),
    "another theory if the safe pay is odd": logistic(
        lambda question: question.gains["sum" if safe(question) % 2 else "sta"]
    ),
    "drifts from one theory to another": lambda questions, rng: (
        rng.random(len(questions))
        < expit(
            np.linspace(1, 0, len(questions)) * gains_of(questions, "cpy")
            + np.linspace(0, 1, len(questions)) * gains_of(questions, "sta")
        )
    ),
    "one pay better than the safe one is enough": lambda questions, rng: np.array(
        [sum(pay > safe(question) for pay in others(question)) == 1 for question in questions]
    ),
    "the last day alone": logistic(
        lambda question: (
            question.numbers["r_b" if question.numbers["d"] > 5 else "r_2"] - safe(question)
            if question.family == "copy-delete"
            else question.gains["cpy"]
        )
    ),
    "likes multiples of 5": logistic(
        lambda question: question.gains["cpy"] / 2 + 8 * sum(pay % 5 == 0 for pay in others(question)) - 4
    ),
    "losses above 10 coins count double": logistic(
        lambda question: (
            question.gains["cpy"] * (2 if question.gains["cpy"] < -10 else 1)
            - sum(max(safe(question) - pay - 10, 0) for pay in others(question)) / 2
        )
    ),
    "all printed numbers": logistic(lambda question: sum(question.numbers.values()) - 2 * safe(question)),
    "matches pays, forgets a family": matching,
    "takes turns if little is at stake": alternating,
    "what the worst-paid copy gets": logistic(worst_copy),
    "rounds pays to tens": logistic(bent(lambda pay: 10 * round(pay / 10), 1)),
}
HELD_OUT_OF_4 = {
    "asks more after each yes, less after each no": staircase,
    "reads numbers backwards": logistic(bent(lambda pay: int(str(pay)[::-1]), 1)),
    "compares numbers as text": logistic(bent(lambda pay: 100 * float(f"0.{pay}"), 1)),
    "wants to be ahead of the copy": logistic(ahead),
    "counts days with enough to live on": logistic(livable_days),
    "daring after a bad day, careful after a good one": daring_when_down,
    "the pay nearest to the safe one": logistic(nearest),
    "favours the copies in turn": in_turn,
    "the peak and the end": logistic(
        lambda question: (max(others(question)) + question.numbers["r_2"]) / 2 - safe(question)
    ),
    "finds large gains suspicious": logistic(lambda question: 8 - abs(question.gains["sum"] - 8)),
    "ranks pays among those seen lately": ranking,
    "learns from pays, is blind to the story": story_blind,
    "likes about 40 coins best": logistic(bent(lambda pay: 40 - abs(pay - 40), 1)),
    "tires and rests": tiring,
}
KINDS = {
    **{("true", name): theory(name) for name in IDENTITIES},
    **{("20 % careless", name): theory(name, lapse=0.2) for name in IDENTITIES},
    **{("foreign", name): answer for name, answer in FOREIGN.items()},
    **{("held out", name): answer for name, answer in HELD_OUT.items()},
    **{("held out of instrument 3", name): answer for name, answer in HELD_OUT_OF_3.items()},
    **{("held out of instrument 4", name): answer for name, answer in HELD_OUT_OF_4.items()},
}


def verdict_of(group, kind, seed, tests=1, counts=COUNTS):
    """The verdict on one subject, by itself or as one of several."""
    rng = np.random.default_rng([list(KINDS).index((group, kind)), seed])
    questions = questions_of(seed, "identity", counts)
    return judge(questions, KINDS[group, kind](questions, rng), seed=seed, tests=tests).verdict


def adaptive_verdict_of(group, kind, seed):
    """The verdict on one subject that is asked in blocks, as one of the three verdicts of a whole profile."""
    rng = np.random.default_rng([list(KINDS).index((group, kind)), seed])
    asked = ask_adaptively(lambda block, _: KINDS[group, kind](block, rng).astype(float), COUNTS.identity, seed, DAYS)
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


def coverage_rows(subjects=SUBJECTS):
    """Of each parameter: in the interval, outside, and intervals with an open end."""
    for (place, sharpness), lapse, name in product(enumerate(SHARPNESSES), LAPSES, IDENTITIES):
        held, unbounded, total = Counter(), Counter(), Counter()
        for seed in range(subjects):
            rng = np.random.default_rng([place, round(10 * lapse), IDENTITIES.index(name), seed])
            questions = questions_of(seed)
            chosen = theory(name, sharpness, lapse)(questions, rng).astype(float)
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
            yield parameter, sharpness, lapse, name, *counts, INSTRUMENT


def learner_rows(lives=LIVES):
    """Verdicts on learners, and the theory that explains each best; a closed gate gives none."""
    asked = Counts(COUNTS_OF_LEARNERS.competence, COUNTS_OF_LEARNERS.identity, 0, 0, 0, 0)
    for name in LEARNED:
        identities = [make_profile(LEARNERS[name], seed, asked).identity for seed in range(1, lives + 1)]
        found = Counter((one.verdict.verdict, one.verdict.best) if one else ("gate closed", "") for one in identities)
        for (verdict, best), count in found.most_common():
            yield name, verdict, best, count, lives, INSTRUMENT


def critical_rows(subjects=10):
    """The 95 % point of the largest deviate of true theories' misses, by the number of questions, for the page."""
    for count in PLAYED:
        points = []
        for (place, sharpness), name, seed in product(enumerate(SHARPNESSES), IDENTITIES, range(subjects)):
            questions, true = draw_identity(count, seed), IDENTITIES.index(name)
            rng = np.random.default_rng([count, place, true, seed])
            judge = Judge(questions, theory(name, sharpness)(questions, rng).astype(float))
            compared = compare_misses(questions, judge.answers, judge.theories[true], judge.fits[true])
            drawn = (rng.random((RESAMPLES, count)) < compared.chances).astype(float)
            points.append(np.quantile(compared.surprises(drawn, 1.0).max(1), LEVEL))
        yield count, round(float(np.mean(points)), 2)


VERDICTS = ("group", "kind", "verdict", "count", "of", "instrument")
TABLES = {
    "verdicts": (VERDICTS, verdict_rows),
    "shared": (VERDICTS, partial(verdict_rows, FEWER, partial(verdict_of, tests=TESTS))),
    "adaptive": (VERDICTS, partial(verdict_rows, FEWER, adaptive_verdict_of)),
    "few": (VERDICTS, partial(verdict_rows, FEWER, partial(verdict_of, tests=TESTS, counts=COUNTS_OF_LEARNERS))),
    "confusion": (("part", "sharpness", "scripted", "found", "count", "of", "instrument"), confusion_rows),
    "coverage": (
        ("parameter", "sharpness", "lapse", "theory", "covered", "unbounded", "of", "instrument"),
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
