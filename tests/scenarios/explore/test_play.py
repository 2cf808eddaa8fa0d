"""Play: the page's plain fits against NumPy's, scripted answers recovered, and random ones left unexplained."""

import random

import numpy as np
import pytest

from multislot.errors import SettingError
from scenarios.explore import play
from scenarios.explore.play import draw, fit_columns, reply, statistics_of
from scenarios.profile import judging, logits
from scenarios.profile.questions import IDENTITIES


def answers(questions, theory, sharpness=1.0, seed=0):
    rng = random.Random(seed)
    if theory is None:
        return [rng.randrange(2) for _ in questions]
    chances = [1 / (1 + np.exp(-np.clip(sharpness * question.gains[theory], -50, 50))) for question in questions]
    return [int(rng.random() < chance) for chance in chances]


@pytest.mark.parametrize("theory", IDENTITIES)
def test_fits_and_statistics_are_those_of_the_profile(theory):
    questions = list(draw(3, 48))
    chosen = answers(questions, theory, 0.2, seed=5)
    chosen[::7] = [1 - one for one in chosen[::7]]  # careless answers
    judge = judging.Judge(questions, np.array(chosen, float))
    place = IDENTITIES.index(theory)
    columns = [list(column) for column in judge.theories[place].model.columns[0].T]
    plain, fast = fit_columns(columns, play._ridge(columns), chosen), judge.fits[place]
    assert plain.score == pytest.approx(fast.score[0], abs=1e-4)
    assert plain.lapse == pytest.approx(fast.lapse[0], abs=1e-2)
    sets = judge.columns_of(judge.theories[place], fast)
    twice = fast.lapse[0] > judging.FEW_LAPSES
    expected = judge.statistics(judge.theories[place], sets, judge.answers[None], fast, twice)
    for name, value in statistics_of(questions, chosen, theory, columns, plain).items():
        assert value == pytest.approx(expected[name][0], abs=0.1), name


def test_numbers_of_the_rule_are_those_of_the_profile():
    for name in (
        "LEVEL",
        "TASTE_RIDGE",
        "FREE_RIDGE",
        "FREE_STEPS",
        "FEW_LAPSES",
        "MOST_RESIDUAL",
        "SHARPNESS_TO_SHOW",
        "NEARLY",
    ):
        assert getattr(play, name) == getattr(judging, name)
    for name in (
        "STEPS",
        "SHORTENINGS",
        "LOOSE",
        "MOST_LAPSES",
        "FIRST_LAPSE",
        "LARGEST_STEP",
        "TOLERANCE",
        "SMALLEST",
    ):
        assert getattr(play, name) == getattr(logits, name)


def test_verdicts_are_those_of_the_profile_and_random_answers_are_not_explained():
    agreed, right = [], []
    for theory in (*IDENTITIES, None):
        questions = draw(1, 160)
        chosen = answers(questions, theory, seed=1)
        verdict = reply({"seed": 1, "count": 160, "chosen": chosen})["verdict"]
        agreed.append(verdict == judging.judge(questions, chosen).verdict)
        right.append(verdict == (theory or "none of these"))
    assert min(sum(agreed), sum(right)) >= 5


def test_whoever_only_refuses_large_payments_is_not_named():
    questions = draw(2, 160)
    chosen = [int(question.numbers["r_s"] < 15) for question in questions]
    assert reply({"seed": 2, "count": 160, "chosen": chosen})["verdict"] == "none of these"


def test_few_answers_are_undecided():
    found = reply({"seed": 2, "count": 16, "chosen": answers(draw(2, 16), "cpy", 0.05)})
    assert found["verdict"] in ("undecided", "none of these")
    assert found["explained_by"] is None


def test_questions_hide_what_theories_gain_and_depend_on_the_seed_alone():
    shown = reply({"seed": 2, "count": 16})["questions"]
    assert len(shown) == 16
    assert {frozenset(question) for question in shown} == {frozenset({"setting", "story", "options", "family"})}
    assert shown == reply({"seed": 2, "count": 16})["questions"]
    assert shown != reply({"seed": 3, "count": 16})["questions"]


@pytest.mark.parametrize("chosen", [[], [2] * 16, "1" * 16, [0] * 15])
def test_answers_that_do_not_fit_are_refused(chosen):
    with pytest.raises(SettingError, match="16 answers, each 0 or 1"):
        reply({"seed": 2, "count": 16, "chosen": chosen})
