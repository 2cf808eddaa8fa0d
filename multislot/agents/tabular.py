"""Tabular agents, compiled: random, constant, simple, naive and Q-learning (Alexander et al. 2021, section 6).

Each is semi-deterministic: it reads its random numbers from its stream at an index that only learning advances. Ties go
to the first action in order. Agents without a learning rate accept one and ignore it, as the authors' agents do.
"""

from operator import index
from typing import Any, SupportsFloat, SupportsIndex

from librt.vecs import vec
from mypy_extensions import i64, mypyc_attr

from multislot.checks import checked_index, refusal, share, whole
from multislot.engine.agent import Agent
from multislot.engine.stream import Stream
from multislot.errors import SettingError, TooLargeError, show_value

MOST_VALUES = 2**27
"""The largest table of an agent, in entries (observations times actions): 1 GiB of numbers."""
BYTES = 8


def table_size(n_observations: SupportsIndex, n_actions: SupportsIndex) -> int:
    """Return the number of entries of a table over observations and actions."""
    size = whole("n_observations", n_observations) * whole("n_actions", n_actions)
    if size > MOST_VALUES:
        raise TooLargeError(
            f"got n_observations={show_value(n_observations)}, n_actions={show_value(n_actions)}; such a table takes "
            f"{f'{size * BYTES:,}' if size < 2**64 else 'more than 2^67'} bytes, the limit is {MOST_VALUES * BYTES:,}; "
            "encode observations and actions in fewer numbers, or use an agent without a table"
        )
    return size


def outside(name: str, value: i64, count: i64) -> SettingError:
    """Return the error of an index that is not in ``range(count)``."""
    remedy = f"the agent was made for {count} observations and the world has more: give its class, which fits any world"
    return refusal(name, value, f"one of range({count})", remedy if name.endswith("observation") else "")


@mypyc_attr(allow_interpreted_subclasses=True)
class RandomAgent(Agent):
    """Acts uniformly at random: action ``int(u[c]·n)``, with ``c`` the number of learning steps."""

    def __init__(
        self,
        n_observations: SupportsIndex,
        n_actions: SupportsIndex,
        stream: Stream,
        learning_rate: SupportsFloat = 0.0,
    ) -> None:
        table_size(1, n_actions)
        self.n_actions: i64 = index(n_actions)
        self.stream = stream
        self.counter: i64 = 0

    def act(self, observation: i64) -> i64:
        """Return the action drawn for the present learning step."""
        return i64(self.stream.at(self.counter) * float(self.n_actions))

    def learn(self, observation: i64, action: i64, reward: float, next_observation: i64) -> Any:
        """Advance to the next draw."""
        self.counter += 1

    def native_state(self) -> dict[str, Any]:
        """Return the attributes by name."""
        return {"n_actions": self.n_actions, "stream": self.stream, "counter": self.counter}

    def restore(self, state: dict[str, Any]) -> Any:
        """Set the attributes."""
        self.n_actions = state["n_actions"]
        self.stream = state["stream"]
        self.counter = state["counter"]


@mypyc_attr(allow_interpreted_subclasses=True)
class ConstantAgent(Agent):
    """Always takes the same action."""

    def __init__(
        self,
        n_observations: SupportsIndex,
        n_actions: SupportsIndex,
        stream: Stream,
        action: SupportsIndex = 0,
        learning_rate: SupportsFloat = 0.0,
    ) -> None:
        table_size(1, n_actions)
        self.action: i64 = checked_index("action", action, index(n_actions))

    def act(self, observation: i64) -> i64:
        """Return the action."""
        return self.action

    def native_state(self) -> dict[str, Any]:
        """Return the attributes by name."""
        return {"action": self.action}

    def restore(self, state: dict[str, Any]) -> Any:
        """Set the attributes."""
        self.action = state["action"]


@mypyc_attr(allow_interpreted_subclasses=True)
class SimpleLearner(Agent):
    """Takes the first action never punished (reward < 0) after this observation, otherwise action 0."""

    def __init__(
        self,
        n_observations: SupportsIndex,
        n_actions: SupportsIndex,
        stream: Stream,
        learning_rate: SupportsFloat = 0.0,
    ) -> None:
        size = table_size(n_observations, n_actions)
        self.n_observations: i64 = index(n_observations)
        self.n_actions: i64 = index(n_actions)
        self.punished = vec[bool]([False] * size)

    def act(self, observation: i64) -> i64:
        """Return the first action in order that was never punished after `observation`, otherwise 0."""
        if not 0 <= observation < self.n_observations:
            raise outside("observation", observation, self.n_observations)
        start = observation * self.n_actions
        action: i64 = 0
        while action < self.n_actions:
            if not self.punished[start + action]:
                return action
            action += 1
        return 0

    def learn(self, observation: i64, action: i64, reward: float, next_observation: i64) -> Any:
        """Remember a punishment."""
        if not 0 <= observation < self.n_observations:
            raise outside("observation", observation, self.n_observations)
        if not 0 <= action < self.n_actions:
            raise outside("action", action, self.n_actions)
        if reward < 0:
            self.punished[observation * self.n_actions + action] = True

    def native_state(self) -> dict[str, Any]:
        """Return the attributes by name."""
        return {
            "n_observations": self.n_observations,
            "n_actions": self.n_actions,
            "punished": list(self.punished),
        }

    def restore(self, state: dict[str, Any]) -> Any:
        """Set the attributes; a compiled vector that is set by its name would never be freed."""
        self.n_observations = state["n_observations"]
        self.n_actions = state["n_actions"]
        punished: list[bool] = state["punished"]
        self.punished = vec[bool](punished)


@mypyc_attr(allow_interpreted_subclasses=True)
class NaiveLearner(Agent):
    """Takes the action with the best average reward so far after this observation, ties to the first in order.

    An action that was never taken counts as 0. The agent explores, with action ``int(u[c+1]·n)``, when
    ``u[c] < exploring``; ``c`` advances by 2 each learning step. (It is in the authors' library, not in the paper.)

    Args:
        exploring: chance of exploring, in [0, 1].
    """

    def __init__(
        self,
        n_observations: SupportsIndex,
        n_actions: SupportsIndex,
        stream: Stream,
        exploring: SupportsFloat = 0.15,
        learning_rate: SupportsFloat = 0.0,
    ) -> None:
        size = table_size(n_observations, n_actions)
        self.n_observations: i64 = index(n_observations)
        self.n_actions: i64 = index(n_actions)
        self.stream = stream
        self.exploring = float(share("exploring", exploring))
        self.counter: i64 = 0
        self.totals = vec[float]([0.0] * size)
        self.counts = vec[float]([0.0] * size)

    def average(self, index: i64) -> float:
        """Return the average reward of one action after one observation, 0 if it was never taken."""
        return self.totals[index] / self.counts[index] if self.counts[index] > 0.0 else 0.0

    def act(self, observation: i64) -> i64:
        """Return the best or the exploring action; the stream decides for the present learning step."""
        if not 0 <= observation < self.n_observations:
            raise outside("observation", observation, self.n_observations)
        if self.stream.at(self.counter) < self.exploring:
            return i64(self.stream.at(self.counter + 1) * float(self.n_actions))
        start = observation * self.n_actions
        best: i64 = 0
        action: i64 = 1
        while action < self.n_actions:
            if self.average(start + action) > self.average(start + best):
                best = action
            action += 1
        return best

    def learn(self, observation: i64, action: i64, reward: float, next_observation: i64) -> Any:
        """Add the reward to the average and advance the stream."""
        if not 0 <= observation < self.n_observations:
            raise outside("observation", observation, self.n_observations)
        if not 0 <= action < self.n_actions:
            raise outside("action", action, self.n_actions)
        index = observation * self.n_actions + action
        self.totals[index] = self.totals[index] + reward
        self.counts[index] = self.counts[index] + 1.0
        self.counter += 2

    def native_state(self) -> dict[str, Any]:
        """Return the attributes by name."""
        return {
            "n_observations": self.n_observations,
            "n_actions": self.n_actions,
            "stream": self.stream,
            "exploring": self.exploring,
            "counter": self.counter,
            "totals": list(self.totals),
            "counts": list(self.counts),
        }

    def restore(self, state: dict[str, Any]) -> Any:
        """Set the attributes; a compiled vector that is set by its name would never be freed."""
        self.n_observations = state["n_observations"]
        self.n_actions = state["n_actions"]
        self.stream = state["stream"]
        self.exploring = state["exploring"]
        self.counter = state["counter"]
        totals: list[float] = state["totals"]
        counts: list[float] = state["counts"]
        self.totals = vec[float](totals)
        self.counts = vec[float](counts)


@mypyc_attr(allow_interpreted_subclasses=True)
class QLearner(Agent):
    """One-step Q-learning (Watkins) that explores as the authors' released agent does.

    It explores, with action ``int(u[c+1]·n)``, when ``u[c] > 1 − epsilon`` or when all values of the observation are 0.
    Otherwise it takes the first action of highest value. ``c`` advances by 2 each learning step.

    Args:
        learning_rate: step size α in [0, 1].
        discount: γ in [0, 1].
        epsilon: chance of exploring, in [0, 1]. (The released code calls the chance of *not* exploring epsilon = 0.9.)
    """

    def __init__(
        self,
        n_observations: SupportsIndex,
        n_actions: SupportsIndex,
        stream: Stream,
        learning_rate: SupportsFloat = 0.1,
        discount: SupportsFloat = 0.9,
        epsilon: SupportsFloat = 0.1,
    ) -> None:
        size = table_size(n_observations, n_actions)
        self.n_observations: i64 = index(n_observations)
        self.n_actions: i64 = index(n_actions)
        self.stream = stream
        self.learning_rate = float(share("learning_rate", learning_rate))
        self.discount = float(share("discount", discount))
        self.epsilon = float(share("epsilon", epsilon))
        self.greedy = 1.0 - self.epsilon
        self.counter: i64 = 0
        self.values = vec[float]([0.0] * size)

    def act(self, observation: i64) -> i64:
        """Return the greedy or the exploring action; the stream decides for the present learning step."""
        if not 0 <= observation < self.n_observations:
            raise outside("observation", observation, self.n_observations)
        if self.stream.at(self.counter) > self.greedy:
            return self.explored()
        values = self.values
        start = observation * self.n_actions
        best: i64 = start
        nonzero = values[start] != 0.0
        index: i64 = start + 1
        while index < start + self.n_actions:
            value = values[index]
            if value != 0.0:
                nonzero = True
            if value > values[best]:
                best = index
            index += 1
        return best - start if nonzero else self.explored()

    def explored(self) -> i64:
        """Return the exploring action of the present learning step."""
        return i64(self.stream.at(self.counter + 1) * float(self.n_actions))

    def learn(self, observation: i64, action: i64, reward: float, next_observation: i64) -> Any:
        """Move the value towards ``reward + discount · max value of next_observation``."""
        if not 0 <= next_observation < self.n_observations:
            raise outside("next_observation", next_observation, self.n_observations)
        values = self.values
        start = next_observation * self.n_actions
        best = values[start]
        index: i64 = start + 1
        while index < start + self.n_actions:
            if values[index] > best:
                best = values[index]
            index += 1
        self.move(observation, action, reward + self.discount * best)

    def learn_last(self, observation: i64, action: i64, reward: float) -> Any:
        """Move the value towards `reward` alone: nothing follows."""
        self.move(observation, action, reward)

    def move(self, observation: i64, action: i64, target: float) -> Any:
        """Move one value towards `target` and advance the stream."""
        if not 0 <= observation < self.n_observations:
            raise outside("observation", observation, self.n_observations)
        if not 0 <= action < self.n_actions:
            raise outside("action", action, self.n_actions)
        index = observation * self.n_actions + action
        self.values[index] = self.values[index] + self.learning_rate * (target - self.values[index])
        self.counter += 2

    def native_state(self) -> dict[str, Any]:
        """Return the attributes by name."""
        return {
            "n_observations": self.n_observations,
            "n_actions": self.n_actions,
            "stream": self.stream,
            "learning_rate": self.learning_rate,
            "discount": self.discount,
            "epsilon": self.epsilon,
            "greedy": self.greedy,
            "counter": self.counter,
            "values": list(self.values),
        }

    def restore(self, state: dict[str, Any]) -> Any:
        """Set the attributes; a compiled vector that is set by its name would never be freed."""
        self.n_observations = state["n_observations"]
        self.n_actions = state["n_actions"]
        self.stream = state["stream"]
        self.learning_rate = state["learning_rate"]
        self.discount = state["discount"]
        self.epsilon = state["epsilon"]
        self.greedy = state["greedy"]
        self.counter = state["counter"]
        values: list[float] = state["values"]
        self.values = vec[float](values)
