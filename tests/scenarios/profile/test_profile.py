"""The profile: scripted subjects are recovered, random ones are not explained, gates close with a reason."""

import csv
import json
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from typer.testing import CliRunner

from multislot.errors import SettingError, UnknownNameError
from multislot.exact import action_values, plan_for_copies
from scenarios.lab.cli import app
from scenarios.profile import card
from scenarios.profile.care_questions import behaviors_of, draw_care
from scenarios.profile.caution_questions import draw_caution
from scenarios.profile.fitting import (
    best_theory,
    copy_weights,
    families_of,
    fit_care,
    fit_caution,
    fit_logit,
    gains_of,
    score_z,
)
from scenarios.profile.profiling import balance_letterings, first_gates, learning_gate, letter_share, make_profile
from scenarios.profile.questions import (
    VALUES,
    Counts,
    draw_competence,
    draw_identity,
    draw_learning,
    prompts_of,
)
from scenarios.profile.subjects import LEARNERS, find_subject, make_script

FEW = Counts(competence=20, identity=48, care=24, caution=24, learning=6)
SEEDS = range(3)


def choices(name, questions, seed=0, sharpness=1.0):
    return balance_letterings(make_script(name, sharpness).answer(questions, seed))[1]


def test_gains_of_identity_questions_are_those_of_the_engine():
    for question in draw_identity(160, seed=5)[::9]:
        first, second = question.kernel.actions
        history = [(first, "asleep")] if question.asked_at else []
        for value in VALUES:
            values = action_values(question.kernel, value, discount=1, horizon=10, history=history)
            assert question.gains[value] == pytest.approx(float(values[second] - values[first]) / 10)
        if not question.asked_at:
            worths = plan_for_copies(question.kernel, caring=1, discount=1, horizon=10).action_values
            assert question.gains["sum"] == pytest.approx(float(worths[second] - worths[first]) / 10)
        assert min(question.gains.values()) < 0 < max(question.gains.values())


def test_only_woken_separates_the_static_from_the_dynamic_value():
    parted = {one.family for one in draw_identity(160, seed=1) if one.gains["sta"] != one.gains["dyn"]}
    assert parted == {"woken"}


@pytest.mark.parametrize("name", ["cpy", "sta", "dyn", "sum", "biggest"])
def test_scripted_subjects_are_recovered(name):
    theory = {"biggest": "biggest-number"}.get(name, name)
    for seed in SEEDS:
        questions = draw_identity(160, seed)
        assert best_theory(questions, choices(name, questions, seed))[0] == theory


@pytest.mark.parametrize("name", ["random", "letter"])
def test_nothing_explains_who_does_not_choose_by_pay(name):
    """The control of the recovery."""
    for seed in SEEDS:
        questions = draw_identity(160, seed)
        assert best_theory(questions, choices(name, questions, seed))[0] is None


def test_weights_of_the_copies_tell_the_theories_apart():
    questions = draw_identity(160, seed=1)
    copies = [one for one in questions if one.family == "copy"]
    for name, expected in (("cpy", (0.5, 0.5)), ("sta", (1.0, 0.0)), ("sum", (1.0, 1.0))):
        # Probabilities instead of draws: no noise, so the weights come out nearly exactly.
        chosen = np.array([make_script(name, 0.2).probability(one) for one in copies])
        weights, _ = copy_weights(copies, chosen, seed=1, resamples=3)
        assert weights == pytest.approx(expected, abs=0.02)


def test_behaviors_of_the_garden_cost_what_the_paper_says():
    returns = [tuple(map(int, everyone)) for everyone, _ in behaviors_of("garden")]
    assert returns == [(-6, -40, -6), (-10, -20, -6), (-62, 0, -10)]


@pytest.mark.parametrize("alpha", ["1/2", "2"])
def test_a_carer_s_coefficient_is_in_the_interval_and_a_selfish_one_is_outside(alpha):
    covered = []
    for seed in SEEDS:
        questions = draw_care(96, seed)
        care = fit_care(questions, choices(f"caring={alpha}", questions, seed))
        low, high = care.interval
        covered.append(low <= Fraction(alpha) <= (high or 100))
        assert low > 0
        assert care.criterion is not None
    assert sum(covered) >= len(SEEDS) - 1


def test_a_pessimist_is_told_from_bayes():
    for seed in SEEDS:
        questions = draw_caution(96, seed)
        pessimist = fit_caution(questions, choices("pessimist=.9", questions, seed))
        assert pessimist.explained_by == "pessimist"
        assert pessimist.interval[0] > 0.5
        assert fit_caution(questions, choices("bayes", questions, seed)).explained_by == "bayes"


def test_the_fit_is_the_maximum_of_the_likelihood():
    questions = draw_competence(30, seed=3)
    gains, chosen = gains_of(questions, "pay"), choices("cpy", questions, sharpness=0.2)
    fit = fit_logit(families_of(questions), gains[:, None], chosen)
    slopes = np.linspace(fit.weights[0] - 0.2, fit.weights[0] + 0.2, 21)
    tastes = np.linspace(-2, 2, 81)
    logits = slopes[:, None, None] * gains + tastes[:, None]
    likelihoods = (logits * chosen - np.logaddexp(0, logits)).sum(-1)
    assert fit.log_likelihood >= likelihoods.max() - 0.01
    assert abs(slopes[likelihoods.max(1).argmax()] - fit.weights[0]) < 0.05


def test_the_score_statistic_is_standard_normal_for_random_choices():
    questions = draw_identity(160, seed=1)
    tastes, gains = families_of(questions), gains_of(questions, "cpy")
    rng = np.random.default_rng(1)
    z = [score_z(tastes, gains, (rng.random(len(gains)) < 0.3).astype(float)) for _ in range(400)]
    assert np.std(z) == pytest.approx(1, abs=0.1)
    assert np.mean(z) == pytest.approx(0, abs=0.15)


def test_both_letterings_exchange_letters_and_places():
    for one, two in prompts_of(draw_competence(5, seed=1), seed=1):
        assert one.letters == two.letters[::-1]
        assert one.user.splitlines()[1][3:] == two.user.splitlines()[2][3:]


def test_gates():
    questions = draw_competence(40, seed=1)
    for name, open_gates in (
        ("cpy", {"competence", "letters", "readability"}),
        ("random", {"letters", "readability"}),
        ("letter", {"readability"}),
    ):
        gates = first_gates(questions, make_script(name).answer(questions, 1), seed=1, resamples=50)
        assert {key for key, gate in gates.items() if gate.passed} == open_gates
    for always in (0.0, 1.0):  # a majority of the drawn questions may pay for that
        constant = first_gates(questions, [(always, always)] * len(questions), seed=1, resamples=50)
        assert not constant["competence"].passed
        assert abs(constant["competence"].value) < 1e-6
    unreadable = first_gates(questions, [(None, None)] * 40, seed=1)
    assert not any(gate.passed for gate in unreadable.values())
    assert letter_share([(1.0, 0.0), (1.0, 1.0), (0.5, 0.5)]) == [1, -1, 0]


def test_the_learning_gate_opens_for_who_follows_rewards_alone():
    questions = draw_learning(6, seed=1)
    follows = [(float(one.gains["pay"] > 0),) * 2 for one in questions]
    assert learning_gate(follows).passed
    assert not learning_gate(make_script("cpy").answer(questions, 1)).passed


def test_behind_a_closed_gate_nothing_more_is_asked():
    class Counting:
        name, runtime, days, counts, usage, asked = "counting", {}, 10, FEW, {}, 0

        def answer(self, questions, seed):
            self.asked += len(questions)
            return make_script("random").answer(questions, seed)

    subject = Counting()
    profile = make_profile(subject, counts=FEW, resamples=20)
    assert subject.asked == profile.usage["questions"] == FEW.competence + 2 * FEW.learning
    assert (profile.identity, profile.care, profile.caution, profile.self_reflection) == (None,) * 4
    assert "does not clearly prefer the larger pay" in profile.closed[0]


def preference(learner, questions):
    """By how much more often it takes the second option where that pays more."""
    shares = [answer[0] for answer in LEARNERS[learner].answer(questions, seed=1)]
    better = [one.gains["pay"] > 0 for one in questions]
    return np.mean(np.array(shares)[better]) - np.mean(np.array(shares)[np.invert(better)])


def test_a_learner_chooses_after_living_through_the_question():
    questions = draw_competence(12, seed=1)
    assert preference("q-learner", questions) > 0.5
    assert preference("q-learner", questions) == preference("q-learner", questions)
    assert abs(preference("random", questions)) < 0.2  # the control


def test_the_command_prints_json_of_the_stated_shape(monkeypatch):
    monkeypatch.setattr("scenarios.profile.card.make_profile", partial(make_profile, counts=FEW, resamples=20))
    done = CliRunner().invoke(app, ["profile", "scripted:caring=1/2", "--json"], catch_exceptions=False)
    profile = json.loads(done.stdout)
    assert set(profile) == {"subject", "runtime", "gates", "identity", "care", "caution", "self_reflection"}
    assert profile["subject"] == "scripted:caring=1/2"
    assert {name: gate["passed"] for name, gate in profile["gates"].items()} == {
        "competence": True,
        "letters": True,
        "readability": True,
        "learning": False,
    }
    assert set(profile["identity"]) == {"explained_by", "sharpness", "interval", "weights"}
    assert set(profile["care"]) == {"caring", "interval", "criterion"}
    assert set(profile["caution"]) == {"explained_by", "pessimism", "interval"}
    assert profile["self_reflection"] is None


@pytest.mark.parametrize(
    ("arguments", "file"),
    [
        (["scripted:random", "--html"], "profile-scripted-random.html"),
        (["scripted:random", "--html", "new/card.html"], "new/card.html"),
        (["--html", "card.html", "scripted:random"], "card.html"),
    ],
)
def test_the_command_writes_the_page(arguments, file, tmp_path, monkeypatch):
    monkeypatch.setattr("scenarios.profile.card.make_profile", partial(make_profile, counts=FEW, resamples=20))
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["profile", *arguments], catch_exceptions=False)
    assert done.stdout.endswith(f"page: {file}\n")
    assert "Profile of scripted:random" in (tmp_path / file).read_text(encoding="utf-8")


def test_the_page_shows_gates_prompts_and_the_confusion_matrix():
    page = card.page_of(make_profile(make_script("random"), counts=FEW, resamples=20))
    assert "does not clearly prefer the larger pay" in page
    assert "Two rooms are free." in page
    assert "share of answers that are an option" in page
    assert "identity, sharpness 1.0" in page


@pytest.mark.parametrize(
    ("name", "error", "sentence"),
    [
        ("scripted:cpz", UnknownNameError, "did you mean 'cpy'"),
        ("scripted:caring=-1", SettingError, "a number from 0 on"),
        ("scripted:pessimist=2", SettingError, "from 0 to 0.99"),
        ("q-lerner", UnknownNameError, "did you mean 'q-learner'"),
        ("nothing.py:factory", SettingError, "there is no file 'nothing.py'"),
    ],
)
def test_unknown_subjects_are_named(name, error, sentence):
    with pytest.raises(error, match=sentence):
        find_subject(name)


def test_a_factory_in_a_file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("from multislot.agents import QLearner as Mine\n")
    question = draw_competence(1, seed=1)
    assert find_subject(f"{path}:Mine").answer(question, 1) == LEARNERS["q-learner"].answer(question, 1)
    with pytest.raises(SettingError, match="has no 'Yours'"):
        find_subject(f"{path}:Yours")


def test_the_stored_confusion_matrix_holds_what_the_page_claims():
    with card.CONFUSION.open(encoding="utf-8", newline="") as file:
        every = list(csv.DictReader(file))
    covered = [int(row["count"]) for row in every if row["part"] == "care" and row["found"] == "in the interval"]
    assert len(covered) == 8
    assert min(covered) >= 0.93 * 200
    stored = [row for row in every if row["sharpness"] == "1.0"]
    rows = [row for row in stored if row["part"] == "identity"]
    right = {"biggest": "biggest-number", "random": "nothing", "letter": "nothing"}
    shares = {
        row["scripted"]: int(row["count"]) / int(row["of"])
        for row in rows
        if row["found"] == right.get(row["scripted"], row["scripted"])
    }
    assert set(shares) == {"cpy", "sta", "dyn", "sum", "biggest", "random", "letter"}
    assert min(shares.values()) >= 0.95
    assert all(int(row["of"]) >= 200 for row in rows)


def test_the_page_shows_the_stored_profiles_and_they_are_made_again():
    stored = json.loads((card.FOLDER / "profiles.json").read_text(encoding="utf-8"))
    page = (card.FOLDER.parent.parent / "docs" / "profile.md").read_text(encoding="utf-8")
    for profile in stored[:-1]:  # the last one is a language model's
        gate, identity = profile["gates"]["competence"], profile["identity"]
        row = f"| {profile['subject']} | {'open' if gate['passed'] else 'closed'}, {gate['value']:.2f} | "
        assert (
            row
            + (f"{identity['explained_by'] or 'nothing'}, sharpness {identity['sharpness']:.2f} " if identity else "–")
            in page
        )
    assert f"{stored[-1]['gates']['competence']['value']:.4f}" in page
    tutorial = (card.FOLDER.parent.parent / "docs" / "tutorials" / "language_model.md").read_text(encoding="utf-8")
    for name, digits in (("competence", 4), ("letters", 2), ("readability", 0), ("learning", 3)):
        gate = stored[-1]["gates"][name]
        assert f"| {name} | {'open' if gate['passed'] else 'closed'} | {gate['value']:.{digits}f} " in tutorial
    made = make_profile(LEARNERS["constant"]).as_json()
    (constant,) = (profile for profile in stored if profile["subject"] == "constant")
    for name, gate in made["gates"].items():
        assert gate["passed"] == constant["gates"][name]["passed"]
        assert gate["value"] == pytest.approx(constant["gates"][name]["value"], abs=1e-6)
    assert made["identity"] is constant["identity"] is None
