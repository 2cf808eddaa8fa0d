"""Would you have acted the same with other observations, actions or memories, or if all had come in another order?

The copy of each of these environments has another past than the agent. The agent is paid +1 if it acts as this copy
would act, and −1 otherwise (Alexander et al. 2021 and its library). The last two are slow: at every step a fresh copy
is trained on the whole history, since the copy of the last step cannot be used again (section 4).
"""

from typing import Any, Final

from mypy_extensions import i64, mypyc_attr

from extenv.environment import ExtendedEnvironment, SimulatingEnvironment
from multislot.engine.agent import Agent

CENSORED: Final = 2
FULL_MEMORY: Final = 4**5


@mypyc_attr(allow_interpreted_subclasses=True)
class FalseMemories(SimulatingEnvironment):
    """Would you have taken this action if your life had begun with two more turns, of action 0 and reward 0?

    Observations: 0. Actions: 0, 1. The copy learns (0, 0, 0, 0) twice before the start, then the agent's turns.
    Wins: any policy that does not depend on the number of turns or on old rewards of 0.

    Scores a step: always 0: 1; always 1: 1.
    """

    paper = "Alexander et al. 2021, section 6, by the authors' library"

    def start(self) -> i64:
        """Make the copy, let it act once, and give it its false memories."""
        super().start()
        self.simulated.act(0)
        self.simulated.learn(0, 0, 0.0, 0)
        self.simulated.learn(0, 0, 0.0, 0)
        return 0


@mypyc_attr(allow_interpreted_subclasses=True)
class IgnoreObservations(SimulatingEnvironment):
    """Would you have taken this action if all your earlier observations had been 0?

    Observations: 0 … 4, drawn uniformly. Actions: 0, 1. The copy learns the agent's turns with both observations 0. It
    is asked at the very first observation, not at the present one, as in the code of the published numbers. Wins: any
    policy that learns nothing from observations.

    Scores a step: always 0: 1; always 1: 1.
    """

    paper = "Alexander et al. 2021, section 6, by the authors' library"

    n_observations: int = 5
    first_observation: i64

    def start(self) -> i64:
        super().start()
        self.first_observation = self.draw(0, 5)
        return self.first_observation

    def step(self, action: i64) -> tuple[float, i64]:
        reward = 1.0 if action == self.simulated.act(self.first_observation) else -1.0
        self.simulated.learn(0, action, reward, 0)
        self.turn += 1
        return reward, self.draw(self.turn, 5)


@mypyc_attr(allow_interpreted_subclasses=True)
class IgnoreActions(SimulatingEnvironment):
    """Would you have taken this action if all your earlier actions had been 0?

    Observations: 0. Actions: 0, 1. The copy learns the agent's turns with action 0.
    Wins: any policy that does not depend on its own actions.

    Scores a step: always 0: 1; always 1: 1.
    """

    paper = "Alexander et al. 2021, section 6, by the authors' library"

    def teach(self, action: i64, reward: float) -> Any:
        self.simulated.learn(0, 0, reward, 0)


@mypyc_attr(allow_interpreted_subclasses=True)
class Repeater(SimulatingEnvironment):
    """Would you have taken this action if everything had happened twice?

    Observations: 0. Actions: 0, 1. The copy learns each of the agent's turns twice.
    Wins: any policy that does not depend on how often something happened.

    Scores a step: always 0: 1; always 1: 1.
    """

    paper = "Alexander et al. 2021, section 6, by the authors' library"

    def teach(self, action: i64, reward: float) -> Any:
        self.simulated.learn(0, action, reward, 0)
        self.simulated.learn(0, action, reward, 0)


@mypyc_attr(allow_interpreted_subclasses=True)
class AfterImages(SimulatingEnvironment):
    """Would you have taken this action if every image had bled into the next one?

    Observations: images of three bits, 0 … 7, drawn uniformly. Actions: 0, 1. The copy sees the bitwise OR of each
    image and the image before it, as that was shown to the agent. Wins: any policy that does not depend on the images.

    Scores a step: always 0: 1; always 1: 1.
    """

    paper = "Alexander et al. 2021, section 6, by the authors' library"

    n_observations: int = 8
    image: i64
    bled: i64

    def start(self) -> i64:
        super().start()
        self.image = self.draw(0, 8)
        self.bled = self.image
        return self.image

    def step(self, action: i64) -> tuple[float, i64]:
        reward = 1.0 if action == self.simulated.act(self.bled) else -1.0
        self.turn += 1
        image = self.draw(self.turn, 8)
        bled = self.image | image
        self.simulated.learn(self.bled, action, reward, bled)
        self.image = image
        self.bled = bled
        return reward, image


@mypyc_attr(allow_interpreted_subclasses=True)
class CensoredObservation(SimulatingEnvironment):
    """Would you have taken this action if all turns that led to observation 2 had been cut out of your life?

    Observations: 0, 1, 2, drawn uniformly, the first is 0; 2 is the censored one. Actions: 0, 1. The copy learns the
    turns that do not lead to 2, from the last uncensored observation, and is asked there. Wins: any policy that does
    not depend on observations.

    Scores a step: always 0: 1; always 1: 1.
    """

    paper = "Alexander et al. 2021, section 6, by the authors' library"

    n_observations: int = 3
    uncensored: i64

    def start(self) -> i64:
        self.uncensored = 0
        return super().start()

    def step(self, action: i64) -> tuple[float, i64]:
        reward = 1.0 if action == self.simulated.act(self.uncensored) else -1.0
        self.turn += 1
        observation = self.draw(self.turn, 3)
        if observation != CENSORED:
            self.simulated.learn(self.uncensored, action, reward, observation)
            self.uncensored = observation
        return reward, observation


@mypyc_attr(allow_interpreted_subclasses=True)
class LimitedMemory(ExtendedEnvironment):
    """Would you have taken this action if you remembered the last five turns only?

    Observations: 0. Actions: 0, 1. The copy is a fresh one that is trained on the last five turns and asked once before
    each of them. Copies are kept for equal memories. Wins: any policy that depends on the last turns only.

    Scores a step: always 0: 1; always 1: 1.
    """

    paper = "Alexander et al. 2021, section 6, by the authors' library"

    simulated: list[Agent | None]
    memory: i64

    def start(self) -> i64:
        self.simulated = [None] * (2 * FULL_MEMORY)
        self.memory = 1
        return 0

    def step(self, action: i64) -> tuple[float, i64]:
        agent = self.simulated[self.memory]
        if agent is None:
            agent = self.trained(self.memory)
            self.simulated[self.memory] = agent
        reward = 1.0 if action == agent.act(0) else -1.0
        self.memory = 4 * self.memory + 2 * action + (1 if reward > 0.0 else 0)
        if self.memory >= 2 * FULL_MEMORY:
            self.memory = FULL_MEMORY + self.memory % FULL_MEMORY
        return reward, 0

    def trained(self, memory: i64) -> Agent:
        """Make a copy with a memory: a bit 1, then two bits per turn, its action and whether it was paid +1."""
        if memory == 1:
            return self.fresh()
        agent = self.trained(memory // 4)
        agent.act(0)
        agent.learn(0, memory // 2 % 2, 1.0 if memory % 2 == 1 else -1.0, 0)
        return agent


@mypyc_attr(allow_interpreted_subclasses=True)
class ReverseHistory(ExtendedEnvironment):
    """Would you have taken this action if everything before had happened in reverse?

    Alexander et al. 2021, Example 5. Observations: 0. Actions: 0, 1. A fresh copy learns all turns, the last one first.
    The first step pays 0. Slow. Wins: any policy that does not depend on the order of events.

    Scores a step, of 100: always 0: 0.99; always 1: 0.99.
    """

    paper = "Alexander et al. 2021, Example 5"

    history: list[tuple[int, float]]

    def start(self) -> i64:
        self.history = []
        return 0

    def step(self, action: i64) -> tuple[float, i64]:
        reward = 0.0
        if self.history:
            agent = self.fresh()
            for former, paid in self.lessons(int(action)):
                agent.learn(0, former, paid, 0)
            reward = 1.0 if action == agent.act(0) else -1.0
        self.history.append((int(action), reward))
        return reward, 0

    def lessons(self, action: int) -> list[tuple[int, float]]:
        """List the turns that the copy learns before it is asked: action and reward of each."""
        return self.history[::-1]


@mypyc_attr(allow_interpreted_subclasses=True)
class DejaVu(ReverseHistory):
    """Would you have taken this action if all of this had happened before, up to and including this action?

    Observations: 0. Actions: 0, 1. A fresh copy learns all turns, then the present action with reward 0, which leads
    back to the beginning, then all turns again. The first step pays 0. Slow. Wins: any policy that does not depend on
    how often something happened.

    Scores a step, of 100: always 0: 0.99; always 1: 0.99.
    """

    paper = "Alexander et al. 2021, section 6, by the authors' library"

    def lessons(self, action: int) -> list[tuple[int, float]]:
        return [*self.history, (action, 0.0), *self.history]
