"""Worlds as games: the one-player game of imperfect recall that copies with a common payoff play.

Copies that cannot tell themselves apart and share one payoff are one player (Piccione and Rubinstein 1997). At each
step the living copies decide one after the other, without seeing each other's choice; then chance draws what becomes of
them. An information set is a history, or the last observation of an agent without memory. The payoff of a course of
events is ``Σ_t γ^t w_α(N_t) Σ_i r_i(t)``, as in `multislot.exact.copies.caring`.

The text is in the format ``.efg``, which Gambit reads. A behavior strategy there is a plan with private coins, and its
payoff is the plan's worth. A mixed strategy is a plan with shared coins.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import count
from typing import Any, NamedTuple, TypeAlias, cast

from multislot.checks import checked_discount, checked_steps, number, whole
from multislot.errors import TooLargeError
from multislot.exact.copies.descendants import copy_weight
from multislot.exact.copies.joint import Affairs, Copy, JointLaw, Scoring, Worlds
from multislot.exact.kernel import Kernel, Number
from multislot.exact.mixture import Mixture
from multislot.exact.values import refusing_overflow

__all__ = ["write_game"]

MOST_NODES = 200_000
"""The largest number of nodes of a game; a node takes about 60 bytes of text."""

Node: TypeAlias = Callable[[], tuple[str, Sequence["Node"]]]
"""A node that is not written yet: its line in the file, and the nodes below it in order."""


class Moment(NamedTuple):
    """What has happened: the step, the world with its copies, the payoff so far, and this step's actions so far."""

    step: int
    affairs: Affairs
    paid: Fraction
    acts: tuple[Hashable, ...] = ()


@refusing_overflow()
def write_game(
    kernel: Kernel | Mixture,
    *,
    horizon: int,
    caring: Number = 1,
    discount: Number = 1,
    memory: bool = True,
    first: Hashable = None,
    title: str = "",
    most: int = MOST_NODES,
) -> str:
    """Write a world as an extensive game with one player, in Gambit's format ``.efg``.

    If two copies with the same history are alive at the same time, or if an agent forgets, a path meets an information
    set twice: *absent-mindedness*. Gambit 17 reads such games and computes payoffs in them. Most of its solvers refuse
    them, as games of imperfect recall. Its ``enumpure_agent_solve`` finds plans without coins, which need not be best.

    Args:
        kernel: the world, or a `Mixture` of worlds, whose prior is the first move of chance; floats are taken exactly.
        horizon: the number of steps.
        caring: α, what the reward of another copy counts.
        discount: γ in [0, 1].
        memory: whether agents remember their history; otherwise only their last observation.
        first: what an agent without memory sees before its first observation.
        title: the title of the game.
        most: the largest number of nodes.

    Raises:
        TooLargeError: the game has more nodes.
    """
    game = _Game(
        JointLaw(Worlds(kernel), Scoring(lambda rewards: ()), whole("most", most, 1)),
        checked_steps("horizon", horizon),
        Fraction(number("caring", caring)),
        Fraction(checked_discount(discount)),
        memory,
        first,
    )
    lines = [f'EFG 2 R {_quoted(title)} {{ "agent" }}', '""']
    for place, line in enumerate(game.lines()):
        if place == most:
            raise TooLargeError(f"the game has more than {most} nodes; give a shorter horizon")
        lines.append(line)
    return "\n".join(lines) + "\n"


@dataclass
class _Game:
    """What the nodes of a game are written from.

    Attributes:
        agent_sets: the number and label of each information set of the agent that was met, by what the agent knows.
        labels: their labels.
        draws: the number of draws of chance so far.
        ends: the number of ends so far.
    """

    law: JointLaw
    horizon: int
    caring: Fraction
    discount: Fraction
    memory: bool
    first: Hashable
    agent_sets: dict[Hashable, str] = field(default_factory=dict)
    labels: set[str] = field(default_factory=set)
    draws: Iterator[int] = field(default_factory=partial(count, 1))
    ends: Iterator[int] = field(default_factory=partial(count, 1))

    def lines(self) -> Iterator[str]:
        """Yield the lines of all nodes, each before those below it."""
        stack: list[Node] = [self.begin]
        while stack:
            line, below = stack.pop()()
            yield line
            stack.extend(reversed(below))

    def begin(self) -> tuple[str, Sequence[Node]]:
        """Return the first node: a draw of the world if there are several."""
        ways = []
        for world, (kernel, share) in enumerate(zip(self.law.worlds.kernels, self.law.worlds.prior, strict=True)):
            copies = tuple(Copy(slot, state, (), Fraction()) for slot, state in sorted(kernel.start.items()))
            ways.append((share, f"world {world + 1}", Moment(0, Affairs(world, copies, ()), Fraction())))
        return self._chance([way for way in ways if way[0]])

    def _chance(self, ways: Sequence[tuple[Fraction, str, Moment]]) -> tuple[str, Sequence[Node]]:
        if len(ways) == 1:
            return self._node(ways[0][-1])
        names = " ".join(
            f"{_quoted(f'{place}: {name}')} {chance}" for place, (chance, name, _) in enumerate(ways, start=1)
        )
        return f'c "" {next(self.draws)} "" {{ {names} }} 0', [partial(self._node, later) for *_, later in ways]

    def _node(self, moment: Moment) -> tuple[str, Sequence[Node]]:
        step, (_, copies, _), paid, acts = moment
        if step == self.horizon or not copies:
            return f't "" {next(self.ends)} "" {{ {paid} }}', ()
        if len(acts) == len(copies):
            return self._chance(list(self._outcomes(moment)))
        information = self._information(copies[len(acts)].history)
        if information not in self.agent_sets:
            label = _quoted(" ".join(map(str, information)), self.labels)
            self.agent_sets[information] = f"{len(self.labels)} {label}"
        taken = set[str]()
        names = " ".join(_quoted(str(action), taken) for action in self.law.actions)
        below = [partial(self._node, moment._replace(acts=(*acts, action))) for action in self.law.actions]
        return f'p "" 1 {self.agent_sets[information]} {{ {names} }} 0', below

    def _information(self, history: Any) -> tuple[Hashable, ...]:
        """Return what an agent knows: actions and observations in turn, or its last observation.

        Args:
            history: nested triples of an earlier history, an action and an observation, see `JointLaw.outcomes`.
        """
        if not self.memory:
            return (history[-1] if history else self.first,)
        known: list[Hashable] = []
        while history:
            history, action, observation = history
            known += observation, action
        return tuple(reversed(known))

    def _outcomes(self, moment: Moment) -> Iterator[tuple[Fraction, str, Moment]]:
        for chance, affairs, rewards in self.law.outcomes(moment.affairs, moment.acts, Fraction(1)):
            if not chance:
                continue
            weight = self.discount**moment.step * copy_weight(self.caring, len(rewards))
            paid = moment.paid + Fraction(weight) * sum(Fraction(reward) for reward in rewards)
            seen = [f"{copy.slot} sees {cast('Any', copy.history)[-1]}" for copy in affairs.copies]
            yield chance, ", ".join(seen) or "nobody is left", Moment(moment.step + 1, affairs, paid)


def _quoted(text: str, taken: set[str] | None = None) -> str:
    """The text as a label; primes tell it from those that are taken, since Gambit refuses a label given twice."""
    taken = set() if taken is None else taken
    label = " ".join(text.replace("\\", "/").replace('"', "'").split())
    while label in taken:
        label += "'"
    taken.add(label)
    return f'"{label}"'
