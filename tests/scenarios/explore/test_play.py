"""Play: the page's plain fits against SciPy's, scripted answers recovered, and random ones left unexplained."""

import random

import numpy as np
import pytest

from multislot.errors import SettingError
from scenarios.explore.play import draw, fit_theory, reply, score_z
from scenarios.profile import fitting
from scenarios.profile.questions import IDENTITIES


def answers(questions, theory, sharpness=1.0, seed=0):
    rng = random.Random(seed)
    if theory is None:
        return [rng.randrange(2) for _ in questions]
    chances = [1 / (1 + np.exp(-np.clip(sharpness * question.gains[theory], -50, 50))) for question in questions]
    return [int(rng.random() < chance) for chance in chances]


@pytest.mark.parametrize("theory", IDENTITIES)
def test_fits_are_those_of_scipy(theory):
    questions = draw(3, 48)
    chosen = answers(questions, theory, 0.2, seed=5)
    tastes = fitting.families_of(questions)
    gains = [float(question.gains[theory]) for question in questions]
    plain = fit_theory(tastes.argmax(1).tolist(), gains, chosen)
    scipy = fitting.fit_logit(tastes, np.array(gains)[:, None], np.array(chosen, float))
    assert plain.sharpness == pytest.approx(scipy.weights[0], abs=1e-4)
    assert plain.log_likelihood == pytest.approx(scipy.log_likelihood, abs=1e-6)
    assert score_z(questions, gains, chosen) == pytest.approx(
        fitting.score_z(tastes, np.array(gains), np.array(chosen, float))
    )


def test_scripted_answers_are_recovered_and_random_ones_are_not_explained():
    found = {}
    for theory in (*IDENTITIES, None):
        for seed in range(3):
            chosen = answers(draw(seed, 160), theory, seed=seed)
            found[theory, seed] = reply({"seed": seed, "count": 160, "chosen": chosen})["explained_by"]
    assert sum(name == theory for (theory, _), name in found.items()) >= 17


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
