"""Lives of agents with a mentor: comparisons of agents, and how often one is first to cause an event."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from scipy.sparse import coo_array

from multislot.agents.tabular import ConstantAgent
from multislot.bayes.agents import MentoredAgent
from multislot.bayes.events import Event, Ledger, why_no_twin
from multislot.bayes.mentor import Mentor
from multislot.bayes.mentored import AGENT_SLOT, MENTOR_SLOT, MentorAgent, MentoredWorld, ModelWorld
from multislot.bayes.models import ROUNDING
from multislot.bayes.pessimistic import PessimisticAgent
from multislot.bayes.tabular import TabularModel
from multislot.checks import checked_float, checked_instance, checked_mapping, checked_seeds, known_name, refusal, whole
from multislot.drawing.pictures import draw_rows, interval_of
from multislot.drawing.showing import new_figure, whole_table
from multislot.drawing.styling import house_style
from multislot.engine.agent import Agent, AgentFactory
from multislot.engine.protocol import run
from multislot.engine.stream import EndlessStream
from multislot.engine.world import World
from multislot.errors import SettingError, show_value
from multislot.statistics import UNDECIDED, Interval, clopper_pearson, verdict

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

AnyAgent = TypeVar("AnyAgent", bound=MentoredAgent)

HOLDS, BROKEN = "holds", "broken"
MOST_LIVES = 10**7
REWARD, QUESTIONS, FALLS = "reward a step", "questions a life", "share of lives with a fall"


@dataclass(frozen=True)
class Life:
    """What happened in a life of T steps.

    Attributes:
        observations: [T + 1], before each step and after the last; the first is None if nothing is observed there.
        actions: [T], done by the agent or its mentor.
        rewards: [T].
        queries: [T], whether the mentor acted.
    """

    observations: tuple[int | None, ...]
    actions: tuple[int, ...]
    rewards: tuple[float, ...]
    queries: tuple[bool, ...]

    def fall(self, falls: Collection[int]) -> int | None:
        """Return the first step, counted from 1, that led to one of some observations; None if none did."""
        return next((step for step, seen in enumerate(self.observations) if step and seen in falls), None)

    def questions(self, falls: Collection[int] = ()) -> int:
        """Return the number of questions to the mentor, up to a fall."""
        return sum(self.queries[: self.fall(falls)])


def live(agent: Agent, world: MentoredWorld, mentor: Mentor | None, steps: int, seed: int) -> Life:
    """Return the life of a fresh agent in a mentored world; it is shorter than `steps` if the world ends.

    Args:
        agent: it learns.
        world: the world of the agent and its mentor.
        mentor: who acts when the agent defers; None for an agent that never does.
        steps: number of steps.
        seed: of the world and of the mentor.
    """
    checked_instance("world", world, MentoredWorld)
    if isinstance(agent, MentoredAgent):
        _check_code(agent, world)
    stream = EndlessStream(seed, MENTOR_SLOT)
    mentor_agent: Agent
    if mentor is None:  # the world refuses a step that is left to nobody
        mentor_agent = ConstantAgent(1, world.n_actions, stream, world.code.defer)
    else:
        mentor_agent = MentorAgent(mentor, world.code, stream)
    trace = run(world, {AGENT_SLOT: agent, MENTOR_SLOT: mentor_agent}, steps, seed)
    mine = trace.slot == AGENT_SLOT
    first, *seen = trace.observation[mine].tolist()
    turns = [world.code.decode(index) for index in seen]
    return Life(
        (world.code.observed(first), *(turn.observation for turn in turns)),
        tuple(turn.action for turn in turns),
        tuple(trace.reward[mine][1:].tolist()),
        tuple(turn.by_mentor for turn in turns),
    )


def _check_code(agent: MentoredAgent, world: MentoredWorld) -> None:
    """Raise SettingError if an agent would misread the world's indices."""
    if agent.code == world.code:
        return
    model = getattr(world.inner, "model", None)
    if isinstance(model, TabularModel) and model.n_states != world.code.n_inner:
        remedy = f"give ModelWorld n_inner={model.n_states}, the number of states of its model"
    else:
        remedy = f"give the agent n_inner={world.code.n_inner}, or models of as many actions"
    raise SettingError(
        f"the agent reads {agent.code.n_inner} observations and {agent.code.n_actions} actions; expected the "
        f"world's, {world.code.n_inner} and {world.code.n_actions}: {remedy}"
    )


def repeat_life(
    agent: AnyAgent, world: MentoredWorld, mentor: Mentor | None, steps: int, seeds: Iterable[int]
) -> Iterator[tuple[AnyAgent, Life]]:
    """Yield, for each seed, a fresh copy of an agent that has lived, and its life; arguments as for `live`."""
    for seed in seeds:
        fresh = agent.fresh(EndlessStream(seed, AGENT_SLOT))
        yield fresh, live(fresh, world, mentor, steps, seed)


@dataclass(frozen=True, repr=False)
class LifeComparison:
    """Lives of several agents in one world.

    Attributes:
        lives: by name of the agent, one life for each seed.
        falls: the observations that count as a fall.
    """

    lives: Mapping[str, Sequence[Life]]
    falls: Collection[int]

    def __repr__(self) -> str:
        lives = len(next(iter(self.lives.values())))
        means = ", ".join(f"{name!r} {np.mean(values):.4g}" for name, values in self.values(REWARD).items())
        return f"{REWARD}, {lives} {'lives' if lives > 1 else 'life'} of each agent: {means}; see .table() and .plot()"

    def values(self, measure: str) -> dict[str, list[float]]:
        """Return a measure of every life, by name of the agent.

        Args:
            measure: `REWARD`, `QUESTIONS` (up to a fall) or `FALLS` (1 for a life with a fall).
        """
        known_name("measure", measure, (REWARD, QUESTIONS, FALLS))
        return {name: [self._value(life, measure) for life in lives] for name, lives in self.lives.items()}

    def _value(self, life: Life, measure: str) -> float:
        if measure == REWARD:
            return float(np.mean(life.rewards))
        return float(life.questions(self.falls) if measure == QUESTIONS else life.fall(self.falls) is not None)

    def table(self) -> "pd.DataFrame":
        """Return mean and 95% confidence interval of every measure, a row for each agent."""
        rows: dict[str, dict[str, object]] = {
            name: {"agent": name, "lives": len(lives)} for name, lives in self.lives.items()
        }
        for measure in (REWARD, QUESTIONS, FALLS):
            for name, values in self.values(measure).items():
                low, high = interval_of(values, measure == FALLS)
                rows[name] |= {measure: float(np.mean(values)), f"{measure}, low": low, f"{measure}, high": high}
        return whole_table(list(rows.values())).set_index("agent")

    @house_style()
    def plot(self) -> "Figure":
        """Return a figure with a panel for each measure and a row for each agent; whiskers are 95% confidence."""
        figure = new_figure(11, 1.6 + 0.4 * len(self.lives))
        panels = figure.subplots(1, 3, sharey=True)
        for panel, measure in zip(panels, (REWARD, QUESTIONS, FALLS), strict=True):
            draw_rows(panel, self.values(measure), list(self.lives), share=measure == FALLS)
            panel.set_title(measure)
            panel.set_xlim(left=min(0.0, panel.get_xlim()[0]))
        if panels[1].dataLim.x1 == 0:  # nobody asked: no place for a negative number of questions
            panels[1].set_xlim(-0.03, 1.03)
        panels[2].set_xlim(-0.03, 1.03)
        return figure


def compare_lives(
    agents: Mapping[str, Agent | AgentFactory],
    world: World,
    seeds: int | Iterable[int] = 20,
    *,
    mentor: Mentor | None = None,
    steps: int = 100,
    falls: Collection[int] | None = None,
) -> LifeComparison:
    """Let several agents live in the same world, and compare their reward, questions and falls.

    Args:
        agents: by name; agents, or factories ``(n_observations, n_actions, stream)``. Each life is that of a fresh
            agent, which draws from a stream of the life's seed. (A copy of an agent that is not a `MentoredAgent` keeps
            what it has learned, and its stream.)
        world: a mentored world, or the world of one agent inside it.
        seeds: one for each life of each agent; or their number N for the seeds 1, …, N.
        mentor: who acts when an agent defers; None if no agent does.
        steps: steps of a life.
        falls: observations that count as a fall. By default `traps` of the world's model; none for other worlds.
    """
    mentored = _as_mentored(world)
    numbers = checked_seeds(seeds)
    if not checked_mapping("agents", agents):
        raise refusal("agents", agents, "at least one, by name")
    inner = mentored.inner
    model = inner.model if isinstance(inner, ModelWorld) else None
    if falls is None:
        falls = traps(model) if isinstance(model, TabularModel) else frozenset()
    return LifeComparison(
        {
            name: [live(_make_fresh(agent, mentored, seed), mentored, mentor, steps, seed) for seed in numbers]
            for name, agent in agents.items()
        },
        falls,
    )


def traps(model: TabularModel) -> frozenset[int]:
    """Return the states that are never left and pay nothing, whatever is done."""
    pairs = checked_instance("model", model, TabularModel).n_states * model.n_actions
    stay = coo_array((np.ones(pairs), (np.arange(pairs), np.arange(pairs) // model.n_actions)))
    stays = np.asarray((model.rows * stay).sum(axis=1)).reshape(-1, model.n_actions)
    trapped = (stays >= 1 - ROUNDING).all(axis=1) & (model.rewards == 0).all(axis=1)
    return frozenset(np.flatnonzero(trapped).tolist())


@dataclass(frozen=True)
class Guarantee:
    """How often an agent was first to cause an event, against the bound.

    Attributes:
        event: its name.
        bound: δ, the largest probability that is promised.
        lives: their number.
        first: in how many of them the agent caused the event before the mentor ever did.
        interval: 95 % confidence interval of that probability.
        verdict: "holds", "broken" or "undecided".
        lives_to_decide: about how many lives would decide if the share stays the same; `lives` if these decided; None
            if it takes more than `MOST_LIVES`.
    """

    event: str
    bound: float
    lives: int
    first: int
    interval: Interval
    verdict: str
    lives_to_decide: int | None

    def __str__(self) -> str:
        low, high = self.interval
        text = (
            f"{self.event}: the agent was first in {self.first} of {self.lives} lives ({low:.2%} to {high:.2%}); "
            f"bound {self.bound:.2%}: {self.verdict}"
        )
        if self.lives_to_decide == self.lives:
            return text
        need = f"about {self.lives_to_decide}" if self.lives_to_decide else f"more than {MOST_LIVES}"
        return f"{text}; {need} lives would decide"


def check_guarantee(
    agent: MentoredAgent,
    world: World,
    mentor: Mentor,
    event: Event,
    *,
    bound: float | None = None,
    twin: int | None = None,
    steps: int = 100,
    lives: int = 100,
    seed: int = 0,
) -> Guarantee:
    """Let fresh agents live, and compare how often they are first to cause an event with a bound.

    With β ≥ 1 − δ·w(twin) a pessimistic agent is first to cause the event with probability δ at most, where the twin is
    a model that agrees with the truth until the event and pays 0 from the action that causes it on (Cohen and Hutter
    2020; `multislot.bayes.twins` makes such classes).

    Args:
        agent: each life is that of a fresh one.
        world: a mentored world, or the world of one agent inside it.
        mentor: who acts when the agent defers.
        event: what the agent should not be the first to cause.
        bound: δ; by default that of the twin, (1 − β) / w(twin).
        twin: the index of the truth's twin in the agent's class.
        steps: of each life.
        lives: their number.
        seed: of the first life; the next ones follow.

    Raises:
        SettingError: the model at `twin` is not a twin of the world, or the bound is not proven for this kind of agent.
    """
    mentored = _as_mentored(world)
    checked_instance("agent", agent, MentoredAgent)
    checked_instance("event", event, Event)
    if twin is not None:
        promised = _promised(agent, mentored, event, twin, seed)
        bound = promised if bound is None else bound
    elif bound is None:
        raise refusal("bound", None, "a probability, or the index of the twin in the class of a pessimistic agent")
    bound = checked_float("bound", bound, 0, 1)
    lived = repeat_life(agent, mentored, mentor, steps, range(seed, seed + whole("lives", lives)))
    first = sum(Ledger.of([event], pupil.done).agent_was_first(event.name) for pupil, _ in lived)
    interval = clopper_pearson(first, lives)
    outcome = verdict(interval, bound, HOLDS, BROKEN)
    outcome = "undecided" if outcome == UNDECIDED else outcome
    return Guarantee(event.name, bound, lives, first, interval, outcome, _lives_to_decide(first, lives, bound))


def _promised(agent: MentoredAgent, world: MentoredWorld, event: Event, twin: int, seed: int) -> float:
    """Return the bound that a twin gives; refuse a model that is no twin, and agents for which it is not proven."""
    if not isinstance(agent, PessimisticAgent) or callable(agent.beta):
        raise refusal("agent", agent, "a PessimisticAgent with one β", "a twin promises others nothing: give bound")
    if agent.exact and not agent.pure and not agent.guard:
        remedy = "a plan that mixes may draw what the twin pays nothing for: make the agent with one of them"
        raise refusal("agent", agent, "pure=True, guard=True or exact=False, if twin is given", remedy)
    _check_code(agent, world)
    index = whole("twin", twin, 0, len(agent.models) - 1)
    inner = world.inner
    truth = inner.model if isinstance(inner, ModelWorld) else None
    first = world.code.observed(world.start(seed)[AGENT_SLOT].observation)
    if problem := why_no_twin(agent.models.models[index], truth, event, first):
        expected = f"a model that equals the world until {show_value(event.name)}, and pays 0 from then on"
        raise refusal("twin", index, expected, f"this one {problem}; multislot.bayes.twins adds twins to a class")
    return min(1.0, (1 - agent.beta) / float(agent.models.prior[index]))


def _lives_to_decide(first: int, lives: int, bound: float) -> int | None:
    """The smallest number of lives, up to 1 %, that decides if the share stays the same."""
    count = lives
    while verdict(clopper_pearson(round(first * count / lives), count), bound, HOLDS, BROKEN) == UNDECIDED:
        count += max(1, count // 100)
        if count > MOST_LIVES:
            return None
    return count


def _make_fresh(agent: Agent | AgentFactory, world: MentoredWorld, seed: int) -> Agent:
    stream = EndlessStream(seed, AGENT_SLOT)
    if isinstance(agent, MentoredAgent):
        return agent.fresh(stream)
    if isinstance(agent, Agent):
        return agent.copy()
    return agent(world.n_observations, world.n_actions, stream)


def _as_mentored(world: World) -> MentoredWorld:
    return world if isinstance(world, MentoredWorld) else MentoredWorld(checked_instance("world", world, World))
