"""The pessimist's guarantee in one call: who causes an event first, how often, and whether the bound holds."""

from dataclasses import dataclass

from multislot.bayes.agents import MentoredAgent
from multislot.bayes.events import Event, Ledger
from multislot.bayes.lives import live
from multislot.bayes.mentor import Mentor
from multislot.bayes.mentored import AGENT_SLOT, MentoredWorld
from multislot.bayes.pessimistic import PessimisticAgent
from multislot.checks import checked_float, checked_instance, refusal, whole
from multislot.engine.stream import EndlessStream
from multislot.engine.world import World
from multislot.statistics import Interval, clopper_pearson

HOLDS, BROKEN, UNDECIDED = "holds", "broken", "undecided"
MOST_LIVES = 10**7


@dataclass(frozen=True)
class Guarantee:
    """How often an agent was first to cause an event, against the bound.

    Attributes:
        event: its name.
        bound: the probability that is promised not to be exceeded.
        lives: how many were lived.
        first: in how many of them the agent caused the event before the mentor ever did.
        interval: 95 % confidence interval of that probability.
        verdict: "holds", "broken" or "undecided".
        lives_to_decide: about how many lives would decide, if their share stays what it was; `lives` where they did
            decide; None where no number up to `MOST_LIVES` would.
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
        if self.verdict != UNDECIDED:
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
        event: what must not happen for the first time by the agent.
        bound: δ; by default that of the twin, (1 − β) / w(twin).
        twin: the index of the truth's twin in the agent's class.
        steps: of each life.
        lives: how many.
        seed: of the first life; the next ones follow.
    """
    mentored = world if isinstance(world, MentoredWorld) else MentoredWorld(checked_instance("world", world, World))
    if bound is not None:
        bound = checked_float("bound", bound, 0, 1)
    elif twin is None or not isinstance(agent, PessimisticAgent) or callable(agent.beta):
        raise refusal("bound", None, "a probability, or the index of the twin in the class of a pessimistic agent")
    else:
        prior = agent.models.prior
        bound = min(1.0, (1 - agent.beta) / float(prior[whole("twin", twin, 0, len(prior) - 1)]))
    first = 0
    for one_seed in range(seed, seed + whole("lives", lives)):
        fresh = agent.fresh(EndlessStream(one_seed, AGENT_SLOT))
        live(fresh, mentored, mentor, steps, one_seed)
        first += Ledger.of([event], fresh.done).agent_was_first(event.name)
    said = _verdict(first, lives, bound)
    return Guarantee(
        event.name, bound, lives, first, clopper_pearson(first, lives), said, _lives_to_decide(first, lives, bound)
    )


def _verdict(first: int, lives: int, bound: float) -> str:
    low, high = clopper_pearson(first, lives)
    return HOLDS if high <= bound else BROKEN if low > bound else UNDECIDED


def _lives_to_decide(first: int, lives: int, bound: float) -> int | None:
    """The smallest number of lives, to within 1 %, that decides if the share stays the same."""
    count = lives
    while _verdict(round(first * count / lives), count, bound) == UNDECIDED:
        count += max(1, count // 100)
        if count > MOST_LIVES:
            return None
    return count
