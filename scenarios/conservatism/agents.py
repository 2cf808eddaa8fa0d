"""The agents of these scenarios by name, the controls among them, their lives next to a mentor, and result 3's bound.

A control is an agent for which a claim about pessimism must fail. A check that a control passes shows nothing. The
agent of the most likely model is a control, since it has no mentor. The mutant is a pessimist whose top set stops at
``1 − 2(1 − β)``: the bounds for β do not hold for it.
"""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, TypeAlias

from pydantic import Field

from multislot import bayes
from multislot.bayes.agents import MentoredAgent
from multislot.bayes.lives import AnyAgent, repeat_life
from multislot.bayes.mentored import AGENT_SLOT
from multislot.engine.stream import EndlessStream
from multislot.statistics import UNDECIDED, clopper_pearson, verdict
from scenarios.conservatism.random_classes import tabular
from scenarios.lab.table import Row

Beta: TypeAlias = Annotated[float, Field(ge=0, lt=1)]
Betas: TypeAlias = Annotated[tuple[Beta, ...], Field(min_length=1, description="β, each in [0, 1)")]
Discount: TypeAlias = Annotated[float, Field(ge=0, lt=1, description="γ")]
Horizon: TypeAlias = Annotated[int, Field(ge=1, description="rewards that every value looks ahead")]
Weight: TypeAlias = Annotated[float, Field(gt=0, lt=1)]

PESSIMISTIC, MUTANT = "pessimistic", "mutant with 2(1 − β)"
NEVER_DEFERS, ALWAYS_DEFERS, MENTOR_ALONE = "never defers", "always defers", "mentor alone"
MIXTURE, AIXI, LIKELY = "full mixture", "full mixture (AIXI)", "most likely model"
THOMPSON, Q_LEARNING = "Thompson sampling", "Q-learning"
STANDARD = (AIXI, LIKELY, THOMPSON, Q_LEARNING)


class AlwaysDefers(bayes.ClassAgent):
    """Leaves every step to the mentor. It is as good as the mentor and never first, but it never stops asking."""

    def _decide(self) -> bayes.Decision:
        return bayes.Decision(len(self.done), None, "always defers", 0.0)


class NeverDefers(bayes.PessimisticAgent):
    """Acts by the pessimistic plan at every step. It never asks, and learns nothing from the mentor."""

    def _reason(self, value: float, worth: float, noise: float, drawn_value: float) -> str:
        return "acts"


WITHOUT_MENTOR: dict[str, type[bayes.ClassAgent]] = {
    ALWAYS_DEFERS: AlwaysDefers,
    MENTOR_ALONE: AlwaysDefers,
    MIXTURE: bayes.BayesAgent,
    AIXI: bayes.BayesAgent,
    LIKELY: bayes.MostLikelyAgent,
    THOMPSON: bayes.ThompsonAgent,
}


def make_agent(
    name: str,
    models: bayes.ModelClass,
    mentors: bayes.MentorClass,
    beta: float,
    discount: float,
    horizon: int,
    **options: Any,
) -> MentoredAgent:
    """Make an agent by its name; `options` are those of `PessimisticAgent`, for the agents that plan like it."""
    if name in (PESSIMISTIC, MUTANT, NEVER_DEFERS):
        kind = NeverDefers if name == NEVER_DEFERS else bayes.PessimisticAgent
        careful = half_as_careful(beta) if name == MUTANT else beta
        return kind(models, mentors, careful, discount, horizon, **options)
    if name == Q_LEARNING:
        first = tabular(models)[0]
        stream = EndlessStream(0, AGENT_SLOT)
        return bayes.QLearningAgent(first.n_states, first.n_actions, stream, first.start, discount=discount)
    return WITHOUT_MENTOR[name](models, discount, horizon)


def half_as_careful(beta: float) -> float:
    """The β of a mutant that leaves out twice the weight of models, ``1 − 2(1 − β)``, at least 0."""
    return max(0.0, 1 - 2 * (1 - beta))


def live_with(
    agent: AnyAgent, truth: bayes.WorldModel, mentor: bayes.Mentor, steps: int, seeds: Iterable[int]
) -> Iterator[tuple[AnyAgent, bayes.Life]]:
    """Let fresh copies of an agent live next to a mentor where a model is true; yield each copy and its life."""
    world = bayes.MentoredWorld(bayes.ModelWorld(truth, agent.code.n_inner))
    return repeat_life(agent, world, mentor, steps, seeds)


def precedent_bound(beta: float, weight: float) -> float:
    """The δ for which ``β = 1 − δ·w``, at most 1; w is the prior weight of the truth, or of its twin (result 3)."""
    return min(1.0, (1 - beta) / weight)


def judge_share(count: int, lives: int, bound: float, below: str, above: str, confidence: float = 0.95) -> str:
    """Judge a bound on the share of lives in which something happens; a bound of 1 decides nothing."""
    return verdict(clopper_pearson(count, lives, confidence), bound, below, above) if bound < 1 else UNDECIDED


def claim(quantity: str, condition: str, word: str) -> Row:
    """Make the row of a claim; the file of expected numbers says which word the paper claims."""
    return Row(quantity, condition, word, kind="claim")


def control(quantity: str, condition: str, word: str, must: str) -> Row:
    """Make the row of a control, with the word by which it must fail."""
    return Row(f"control: {quantity}", condition, word, kind="control", paper=must)
