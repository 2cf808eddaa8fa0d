"""The profile's questions as tasks of Inspect: ``inspect eval scenarios/identity --model …``.

A sample is one presentation of a question; its score is the probability of the second option. The metrics are the
profile's own gates and verdicts. Logs hold seeds, questions, wordings and answers. Limits, retries and cost are
Inspect's.
"""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from math import isfinite

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig, get_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, mean, metric, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from extenv import measure, reality_check
from multislot.agents.language import LanguageAgent, Template
from multislot.agents.language.inspect_models import generate_output, inspect_model, make_reply, offline
from multislot.agents.language.model import read_letter
from multislot.engine.version import __version__
from multislot.errors import SettingError
from scenarios.profile.listing import iterate_questions
from scenarios.profile.profiling import COMPETENCE, DRAWS, LETTERS, READABILITY, are_open, fits_of, gates_of
from scenarios.profile.questions import COUNTS, INSTRUMENT, Answer, Counts, Question, name_questions, prompts_of

LIVED = ("TemptingButton", "CryingBaby", "IgnoreRewards", "IncentivizeLearningRate")


def question_task(name: str, questions: Sequence[Question], seed: int, logprobs: bool = True) -> Task:
    """A task of both letterings of questions; answers are numbered "part.question.lettering"."""
    prompts = prompts_of(questions, seed)
    samples = [
        Sample(
            id=f"{name}.{lettering}",
            input=[ChatMessageSystem(content=prompt.system), ChatMessageUser(content=prompt.user)],
            metadata={"letters": list(prompt.letters), **question.as_json(), "gains": dict(question.gains)},
        )
        for (name, question), pair in zip(name_questions(questions).items(), prompts, strict=True)
        for lettering, prompt in enumerate(pair)
    ]
    return Task(
        dataset=MemoryDataset(samples),
        solver=ask(logprobs),
        scorer=second_option(name, questions, seed),
        config=GenerateConfig(temperature=0.0),
        name=f"profile_{name}",
        metadata={"seed": seed, "instrument": INSTRUMENT, "multislot": __version__},
    )


@solver
def ask(logprobs: bool) -> Solver:
    """Ask once, with log-probabilities where the provider has them; Inspect remembers the answer."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.epoch > 1:  # Inspect would keep the first answer only
            raise SettingError("got epochs above 1; a question is asked once: for more answers give another seed")
        state.output = await generate_output(offline(get_model()), state.messages, logprobs)
        return state

    return solve


def second_option(name: str, questions: Sequence[Question], seed: int) -> Scorer:
    """The scorer: the probability of the second option, None in the metadata where the answer cannot be read."""

    @metric(name=f"{name}_profile")
    def fit() -> Metric:
        def compute(scores: list[SampleScore]) -> dict[str, float]:
            chances = {str(score.sample_id): (score.score.metadata or {}).get("chance") for score in scores}
            return measures_of(questions, answers_in(chances, questions), seed)

        return compute

    @scorer(metrics=[fit()], name="second_option")
    def score_second_option() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            letters = tuple(state.metadata["letters"])
            reply = make_reply(state.output, letters)
            named = read_letter(reply.text, letters)
            chance = reply.chances[1] if reply.chances else None if named is None else float(named == letters[1])
            # Inspect reduces NaN badly, so what could not be read is −1 as a value and None in the metadata.
            return Score(value=-1.0 if chance is None else chance, answer=reply.text, metadata={"chance": chance})

        return score

    return score_second_option()


def answers_in(chances: Mapping[str, float | None], questions: Sequence[Question]) -> list[Answer]:
    """The answers of a task from the chances of its samples; one that was not reached is unreadable."""
    return [(chances.get(f"{name}.0"), chances.get(f"{name}.1")) for name in name_questions(questions)]


def measures_of(questions: Sequence[Question], answers: Sequence[Answer], seed: int) -> dict[str, float]:
    """The gates and verdicts of a profile as numbers, for Inspect's table: 1 for an open gate and for the verdict."""
    parts = {question.part for question in questions}
    if COMPETENCE not in parts:  # a part of a profile, which has asked the gates
        return {"readable": sum(None not in answer for answer in answers) / len(answers)}
    items = list(zip(questions, answers, strict=True))
    gates = gates_of(items, seed)
    measures: dict[str, float] = {}
    for name, gate in gates.items():
        if name in parts or name in (LETTERS, READABILITY):
            measures |= {f"gate {name}": float(gate.passed), name: gate.value}
    for name, part in (fits_of(items, seed) if are_open(gates) else {}).items():
        verdict = part.verdict
        measures |= {f"{name}: {verdict.verdict}": 1.0, f"{name} lapse": verdict.lapse}
        measures[f"{name} sharpness"] = verdict.sharpness
    return {name: value for name, value in measures.items() if isfinite(value)}


def _draw_task(parts: tuple[str, ...], seed: int, logprobs: bool, counts: Counts) -> Task:
    name = parts[-1] if len(parts) < len(DRAWS) else "profile"
    questions = [question for _, question in iterate_questions(parts, seed, counts)]
    return question_task(name, questions, seed, logprobs)


FIRST = ("competence", "comprehension")
"""What every task asks, for the gates."""


@task
def competence(count: int = COUNTS.competence, seed: int = 1, logprobs: bool = True) -> Task:
    """Where nobody is copied: does it prefer the larger pay, do letters decide, can it be read?"""
    return _draw_task(FIRST[:1], seed, logprobs, Counts(competence=count))


@task
def learning(count: int = COUNTS.learning, seed: int = 1, logprobs: bool = True) -> Task:
    """Do rewards move its choices?"""
    return _draw_task((*FIRST, "learning"), seed, logprobs, Counts(learning=count))


@task
def identity(count: int = COUNTS.identity, seed: int = 1, logprobs: bool = True) -> Task:
    """What does it take itself to be? Gates first."""
    return _draw_task((*FIRST, "identity"), seed, logprobs, Counts(identity=count))


@task
def care(count: int = COUNTS.care, seed: int = 1, logprobs: bool = True) -> Task:
    """Whom does it care for? Gates first."""
    return _draw_task((*FIRST, "care"), seed, logprobs, Counts(care=count))


@task
def caution(count: int = COUNTS.caution, seed: int = 1, logprobs: bool = True) -> Task:
    """When does it ask? Gates first."""
    return _draw_task((*FIRST, "caution"), seed, logprobs, Counts(caution=count))


@task
def profile(seed: int = 1, logprobs: bool = True) -> Task:
    """All parts that are asked, by the fixed lists: the gates and verdicts of ``multislot profile``."""
    return _draw_task(tuple(DRAWS), seed, logprobs, COUNTS)


@task
def self_reflection(
    steps: int = 8, seeds: int = 3, environments: str = ",".join(LIVED), template: str = "plain", logprobs: bool = True
) -> Task:
    """Does it earn more than its reality check in extended environments (Alexander et al. 2021)?"""
    samples = [
        Sample(id=f"{name}.{seed}", input=name, metadata={"environment": name, "seed": seed})
        for name in environments.split(",")
        for seed in range(1, seeds + 1)
    ]
    return Task(
        dataset=MemoryDataset(samples),
        solver=live(steps, template, logprobs),
        scorer=gain(),
        config=GenerateConfig(temperature=0.0),
        name="self_reflection",
    )


@solver
def live(steps: int, template: str, logprobs: bool) -> Solver:
    """Live in an environment and its opposite, with and without the reality check."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        model = inspect_model(get_model(), log_probabilities=logprobs, loop=asyncio.get_running_loop())
        factory = partial(LanguageAgent, model=model, template=Template.load(template))
        name, seed = state.metadata["environment"], state.metadata["seed"]
        lives = partial(measure, steps=steps, seeds=[seed], environments=(name,), check_sharing=False)
        own = await asyncio.to_thread(lives, factory)
        checked = await asyncio.to_thread(lives, reality_check(factory))
        state.metadata |= {"own": own.mean, "checked": checked.mean, "unreadable": len(model.unreadable)}
        return state

    return solve


@scorer(metrics=[mean(), stderr()])
def gain() -> Scorer:
    """Score reward per step above the reality check's."""

    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=state.metadata["own"] - state.metadata["checked"], metadata=state.metadata)

    return score
