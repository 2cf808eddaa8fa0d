"""What learners come to do: a thought experiment that is repeated, with a learner in every slot.

A round is the first steps of a kernel. When it is over, the memory of one of its occupants goes on to the next round in
slot 1, all others are deleted. Who that is decides what is learned:

- ``any survivor``: drawn evenly from those who are left at the end;
- ``one line``: at every copying one of the copies is drawn evenly, and its line is followed; if it is deleted, nobody
  goes on;
- ``slot 1``: who has always been in slot 1; if it is moved or deleted, nobody goes on.

Where nobody goes on, a fresh learner begins the next round: what was deleted has learned nothing. If nobody at all is
left within a round, it waits in slot 1 for the next.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

from multislot import EndlessStream, Percept, Turn, World, run
from multislot.agents.tabular import QLearner
from multislot.checks import checked_instance
from multislot.engine.agent import Agent
from multislot.engine.stream import WORLD_FOUNDER, Stream
from multislot.exact import Arrival, Kernel
from multislot.exact.kernel import CheckedKernel

HEIRS = ("any survivor", "one line", "slot 1")
ASKED, WAITING = 1, 2
NOBODY_LEFT = "nobody left"


class Rounds(World):
    """Rounds of a kernel one after the other; observation 1 begins each, the first one's is λ.

    Learners observe what the kernel shows and how many steps of the round are over. What the last step of a round shows
    is the beginning of the next. The heir alone is paid for that step, unless there is a pause.

    Args:
        kernel: a kernel whose first step is in slot 1 alone.
        steps: steps a round, without the pause.
        heir: whose memory goes on, one of `HEIRS`.
        pause: whether each round ends with one more step in which nothing happens and nobody is paid, so that all
            see what the last step of the kernel pays.

    Attributes:
        done: steps of the present round that are over.
    """

    def __init__(self, kernel: Kernel, steps: int, heir: str, *, pause: bool = False) -> None:
        self.kernel, self.steps, self.heir, self.pause = kernel, steps, heir, pause
        self._remembering = CheckedKernel(kernel)
        self._codes = _codes(kernel, steps + pause)
        self.n_actions, self.n_observations = len(kernel.actions), len(self._codes) + WAITING + 1

    def start(self, seed: int) -> dict[int, Percept]:
        """Begin the first round in slot 1."""
        self._stream, self._drawn = EndlessStream(seed, WORLD_FOUNDER), 0
        self._begin_round()
        return {1: Percept(0)}

    def _begin_round(self) -> None:
        self.done = 0
        self._line: int | None = 1
        self._states: dict[int, Hashable] = dict(self.kernel.start)

    def step(self, actions: Mapping[int, int]) -> Turn:
        """Go on by a step of the kernel; the last of a round leaves one heir, in slot 1."""
        if self.done == self.steps:
            return self._next_round({slot: {slot: Arrival(None, None)} for slot in actions})
        arrived = {slot: self._arrivals(slot, action) for slot, action in actions.items()}
        targets = arrived.get(self._line or 0, {})
        self._line = self._choose(targets) if self.heir == "one line" else 1 if 1 in targets else None
        self.done += 1
        if self.done == self.steps and not self.pause:
            return self._next_round(arrived)
        arrivals_by_slot = {target: arrival for arrivals in arrived.values() for target, arrival in arrivals.items()}
        if not arrivals_by_slot:
            self._states = {1: NOBODY_LEFT}
            return Turn({}, {1: Percept(WAITING)}, spawned=(1,))
        self._states = {target: arrival.state for target, arrival in arrivals_by_slot.items()}
        percepts = {
            target: Percept(self._codes.get((self.done, arrival.observation), WAITING), float(arrival.reward))
            for target, arrival in arrivals_by_slot.items()
        }
        return Turn({slot: tuple(arrivals) for slot, arrivals in arrived.items()}, percepts)

    def _arrivals(self, slot: int, action: int) -> Mapping[int, Arrival]:
        state = self._states[slot]
        if state == NOBODY_LEFT:
            return {slot: Arrival(NOBODY_LEFT, NOBODY_LEFT)}
        outcomes = self._remembering.outcomes(slot, state, self.kernel.actions[action])
        number = self._draw() if len(outcomes) > 1 else 0.0
        for probability, arrivals in outcomes:
            number -= float(probability)
            if number < 0:
                return arrivals
        return outcomes[-1][1]  # rounding may leave the last one short

    def _next_round(self, arrived: Mapping[int, Mapping[int, Arrival]]) -> Turn:
        sources = {target: source for source, arrivals in arrived.items() for target in arrivals}
        heir = self._choose(sources) if self.heir == "any survivor" else self._line
        self._begin_round()
        if heir is None:
            return Turn({}, {1: Percept(ASKED)}, spawned=(1,))
        source = sources[heir]
        return Turn({source: (1,)}, {1: Percept(ASKED, float(arrived[source][heir].reward))})

    def _choose(self, slots: Iterable[int]) -> int | None:
        """Draw a slot, each with the same probability. Return None if there are no slots."""
        among = sorted(slots)
        return among[int(self._draw() * len(among))] if among else None

    def _draw(self) -> float:
        self._drawn += 1
        return self._stream.at(self._drawn)

    def code(self, done: int, observation: Hashable) -> int:
        """The index of what is observed after so many steps of a round, at least one."""
        return self._codes[done, observation]

    def describe_action(self, action: int) -> str:
        """The kernel's action."""
        return str(self.kernel.actions[action])


def _codes(kernel: Kernel, steps: int) -> dict[tuple[int, Hashable], int]:
    """An index for everything that can be observed after so many steps of a round."""
    codes: dict[tuple[int, Hashable], int] = {}
    places = set(kernel.start.items())
    for done in range(1, steps):
        reached = [
            (target, arrival)
            for slot, state in sorted(places, key=str)
            for action in kernel.actions
            for _, arrivals in kernel.outcomes(slot, state, action)
            for target, arrival in arrivals.items()
        ]
        for _, arrival in reached:
            codes.setdefault((done, arrival.observation), len(codes) + WAITING + 1)
        places = {(target, arrival.state) for target, arrival in reached}
    return codes


class Episodic(Agent):
    """Wraps a learner for which every round is an episode: nothing follows its last step."""

    def __init__(self, agent: Agent) -> None:
        self.agent = checked_instance("agent", agent, Agent, "its class must subclass multislot.Agent")

    def act(self, observation: int) -> int:
        """Act as the learner does."""
        return int(self.agent.act(observation))

    def learn(self, observation: int, action: int, reward: float, next_observation: int) -> None:
        """Learn, the end of a round as an end."""
        if next_observation == ASKED:
            self.agent.learn_last(observation, action, reward)
        else:
            self.agent.learn(observation, action, reward, next_observation)

    def copy(self) -> "Episodic":
        """A copy that learns independently from now on."""
        return Episodic(self.agent.copy())


@dataclass
class LearnerFactory:
    """Makes learners, each with randomness of its own, so that a fresh one does not repeat the life of the last."""

    seed: int
    overrides: Mapping[str, float]
    born: int = 0

    def __call__(self, n_observations: int, n_actions: int, stream: Stream) -> Episodic:
        """A fresh learner; the stream of the slot is left alone."""
        self.born += 1
        own_stream = EndlessStream(self.seed, self.born)
        return Episodic(QLearner(n_observations, n_actions, own_stream, **self.overrides))


def acceptances(kernel: Kernel, heir: str, *, steps: int, rounds: int, seed: int, **learner: float) -> list[int]:
    """Whether a Q-learner accepts (action 1 at the first step), round by round; shape [rounds].

    Args:
        kernel: what is repeated.
        heir: whose memory goes on, one of `HEIRS`.
        steps: steps a round.
        rounds: how many.
        seed: of the learners and of who goes on.
        learner: settings of the Q-learners: discount, learning_rate, epsilon.
    """
    make_learner = LearnerFactory(seed, learner)  # trying them would make it count agents that are never put in
    trace = run(Rounds(kernel, steps, heir), {1: make_learner}, steps * rounds, seed, check_sharing=False)
    return [int(trace.actions[number * steps][1]) for number in range(rounds)]
