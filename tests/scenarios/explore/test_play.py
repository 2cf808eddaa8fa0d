"""Play: the page's plain fits against NumPy's, scripted answers recovered, and random ones left unexplained."""

import random
from dataclasses import replace
from statistics import fmean

import numpy as np
import pytest

from multislot.errors import SettingError
from scenarios.explore import play, questions
from scenarios.explore.play import PlainJudge, reply, surprise_of
from scenarios.profile import judging, logits, misses
from scenarios.profile.questions import IDENTITIES, draw_identity


def answers(questions, theory, sharpness=1.0, seed=0):
    rng = random.Random(seed)
    if theory is None:
        return [rng.randrange(2) for _ in questions]
    chances = [1 / (1 + np.exp(-np.clip(sharpness * question.gains[theory], -50, 50))) for question in questions]
    return [int(rng.random() < chance) for chance in chances]


@pytest.mark.parametrize("theory", IDENTITIES)
def test_fits_and_surprises_are_those_of_the_profile(theory):
    questions = draw_identity(48, 3)
    chosen = answers(questions, theory, 0.2, seed=5)
    chosen[::7] = [1 - one for one in chosen[::7]]  # careless answers
    fast, plain = judging.Judge(questions, np.array(chosen, float)), PlainJudge(questions, chosen)
    place = IDENTITIES.index(theory)
    assert plain.fits[theory].score == pytest.approx(fast.fits[place].score, abs=1e-4)
    assert plain.fits[theory].lapse == pytest.approx(fast.fits[place].lapse, abs=1e-2)
    compared = misses.compare_misses(questions, fast.answers, fast.theories[place], fast.fits[place])
    expected = compared.surprises(fast.answers[None], np.array([compared.excess]))[0].max()
    assert surprise_of(questions, chosen, plain.models[theory], plain.fits[theory]) == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("sharpness", [1, 4])
def test_a_fit_finds_any_sharpness(sharpness):
    questions = draw_identity(48, 3)
    chosen = [play._share(sharpness * question.gains["sta"]) for question in questions]
    assert PlainJudge(questions, chosen).fits["sta"].weights[-1] == pytest.approx(sharpness, rel=0.02)


def test_numbers_of_the_fits_are_those_of_the_profile():
    for name in (
        "STEPS",
        "SHORT_STEPS",
        "SHORTENINGS",
        "MOST_LAPSES",
        "FIRST_LAPSE",
        "LARGEST_STEP",
        "TOLERANCE",
        "SMALLEST",
    ):
        assert getattr(play, name) == getattr(logits, name)


def test_whoever_changes_theories_between_families_is_mixed():
    questions = draw_identity(160, 2)
    gains = [question.gains["sum" if question.family == "copy" else "sta"] for question in questions]
    chosen = [int(gain > 0) for gain in gains]
    assert reply({"seed": 2, "count": 160, "chosen": chosen})["verdict"] == "mixed"
    alone = [int(question.gains["sum"] > 0) for question in questions]  # the control
    assert reply({"seed": 2, "count": 160, "chosen": alone})["verdict"] == "sum"


@pytest.mark.parametrize(("coins", "turn", "is_mixed"), [(0, 1, True), (2, 1, True), (15, 1, False), (0, -1, False)])
def test_mixed_is_not_who_switches_too_far_away_or_acts_against_a_theory_in_a_family(
    monkeypatch, coins, turn, is_mixed
):
    monkeypatch.setattr("scenarios.explore.play.surprise_of", lambda *_: -9.0)
    questions, chosen = draw_identity(160, 2), []
    for one in questions:
        gain = one.gains["sum" if one.family == "copy" else "cpy"] + coins * (one.family == "copy-delete")
        chosen.append(int(gain * (turn if one.family == "woken" else 1) > 0))
    assert PlainJudge(questions, chosen).is_mixed("cpy") == is_mixed


def test_a_family_follows_the_theory_of_the_profile_and_none_that_it_acts_against():
    questions = draw_identity(48, 3)
    for seed in range(3):
        chosen = answers(questions, None, seed=seed)
        fast, plain = judging.Judge(questions, np.array(chosen, float)), PlainJudge(questions, chosen)
        for column in fast.tastes:
            scores = {one.name: fast._family_score(one, np.flatnonzero(column)) for one in fast.theories}
            assert scores[plain._best_in(column)] == pytest.approx(max(scores.values()), abs=1e-4)


def test_verdicts_are_those_of_the_profile_and_random_answers_are_not_explained():
    agreed, right = [], []
    for theory in (*IDENTITIES, None):
        questions = draw_identity(160, 1)
        chosen = answers(questions, theory, seed=1)
        verdict = reply({"seed": 1, "count": 160, "chosen": chosen})["verdict"]
        agreed.append(verdict == judging.judge(questions, chosen).verdict)
        right.append(verdict == (theory or "none of these"))
    assert min(sum(agreed), sum(right)) >= 5


@pytest.mark.parametrize(("coins", "is_rejected"), [(0, False), (2, False), (15, True)])
def test_whoever_switches_too_far_from_where_a_theory_does_is_rejected_as_in_the_profile(
    monkeypatch, coins, is_rejected
):
    """In questions on deletion alone, and nothing else speaks against the theory."""
    monkeypatch.setattr("scenarios.explore.play.surprise_of", lambda *_: -9.0)
    monkeypatch.setattr("scenarios.profile.judging.judge_misses", lambda *_: (1.0, ""))
    questions = draw_identity(160, 1)
    chosen = [int(one.gains["cpy"] + coins * (one.family == "copy-delete") > 0) for one in questions]
    plain, fast = PlainJudge(questions, chosen), judging.Judge(questions, np.array(chosen, float))
    assert plain.rejects(plain.models["cpy"], plain.fits["cpy"]) == is_rejected
    assert (fast.test(fast.theories[0], fast.fits[0])[0] <= 0.05) == is_rejected


def test_questions_that_cannot_decide_give_no_number():
    """Theories gain so little in them that random answers refute none."""
    questions = draw_identity(16, 3)
    small = [replace(one, gains={name: gain / 1000 for name, gain in one.gains.items()}) for one in questions]
    for asked, is_open in ((small, True), (questions, False)):
        chosen = answers(questions, None, seed=1)
        verdict, needed = PlainJudge(asked, chosen).verdict()
        assert (verdict == "undecided" and needed is None) == is_open
        assert judging.judge(asked, chosen).needed == needed


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


@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_symmetric_positive_definite_system_is_solved(size):
    numbers = np.random.default_rng(size)
    root, right = numbers.normal(size=(size, size)), numbers.normal(size=size)
    matrix = root @ root.T + np.eye(size)
    lower = [matrix[row, : row + 1].tolist() for row in range(size)]
    assert play._solve(lower, right.tolist()) == pytest.approx(np.linalg.solve(matrix, right).tolist())


def test_a_life_ends_with_its_fall_and_earns_what_its_steps_show():
    life = questions.reply({"view": "caution", "beta": "0.97", "truth": "deadly", "seed": 2})
    kinds = [life["cells"][step["to"]]["kind"] for step in life["steps"]]
    assert life["fell"]
    assert [kind == "cliff" for kind in kinds] == [False] * (len(kinds) - 1) + [True]
    assert float(life["reward"]) == pytest.approx(fmean(float(step["reward"]) for step in life["steps"]), abs=5e-4)
