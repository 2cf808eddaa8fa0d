"""Would you have acted the same, had you seen, done or remembered something else?

The copy of each of these environments has another past than the agent; the agent is paid +1 for acting as that copy
would act, and −1 otherwise (Alexander et al. 2021 and its library).
"""

from typing import Final

from mypy_extensions import i64, mypyc_attr

from extenv.environment import ExtendedEnvironment, SimulatingEnvironment
from multislot.engine.agent import Agent

CENSORED: Final = 2
FULL_MEMORY: Final = 4**5


@mypyc_attr(allow_interpreted_subclasses=True)
class FalseMemories(ExtendedEnvironment):
    """Would you have taken this action if your life had begun with two more turns, of action 0 and reward 0?

    Observations: 0. Actions: 0, 1. The copy learns (0, 0, 0, 0) twice before the start, then the agent's turns.
    Wins: any policy that does not depend on the number of turns or on old rewards of 0.

    Scores a step: always 0: 1; always 1: 1.
    """

    paper = "Alexander et al. 2021, section 6, by the authors' library"

    simulated: Agent

    def start(self) -> i64:
        """Make the copy, let it act once, and give it its false memories."""
        self.simulated = self.fresh()
        self.simulated.act(0)
        self.simulated.learn(0, 0, 0.0, 0)
        self.simulated.learn(0, 0, 0.0, 0)
        return 0

    def step(self, action: i64) -> tuple[float, i64]:
        """Pay +1 if the copy with the false memories would act so too."""
        reward = 1.0 if action == self.simulated.act(0) else -1.0
        self.simulated.learn(0, action, reward, 0)
        return reward, 0


@mypyc_attr(allow_interpreted_subclasses=True)
class IgnoreObservations(ExtendedEnvironment):
    """Would you have taken this action if all your earlier observations had been 0?

    Observations: 0 … 4, drawn uniformly. Actions: 0, 1. The copy learns the agent's turns with both observations 0. It
    is asked at the first observation of all, not at the present one: so does the code behind the published numbers,
    which cannot be had otherwise. Wins: any policy that learns nothing from observations.

    Scores a step: always 0: 1; always 1: 1.
    """

    paper = "Alexander et al. 2021, section 6, by the authors' library"

    n_observations: int = 5
    simulated: Agent
    first_observation: i64
    drawn: i64

    def start(self) -> i64:
        """Make the copy and draw the first observation."""
        self.simulated = self.fresh()
        self.drawn = 0
        self.first_observation = self.draw(0, 5)
        return self.first_observation

    def step(self, action: i64) -> tuple[float, i64]:
        """Pay +1 if the copy that only ever saw 0 would act so on the first observation."""
        reward = 1.0 if action == self.simulated.act(self.first_observation) else -1.0
        self.simulated.learn(0, action, reward, 0)
        self.drawn += 1
        return reward, self.draw(self.drawn, 5)


@mypyc_attr(allow_interpreted_subclasses=True)
class IgnoreActions(SimulatingEnvironment):
    """Would you have taken this action if all your earlier actions had been 0?

    Observations: 0. Actions: 0, 1. The copy learns the agent's turns with action 0.
    Wins: any policy that does not look at its own actions.

    Scores a step: always 0: 1; always 1: 1.
    """

    paper = "Alexander et al. 2021, section 6, by the authors' library"

    def step(self, action: i64) -> tuple[float, i64]:
        """Pay +1 if the copy that only ever did 0 would act so too."""
        reward = 1.0 if action == self.simulated.act(0) else -1.0
        self.simulated.learn(0, 0, reward, 0)
        return reward, 0


@mypyc_attr(allow_interpreted_subclasses=True)
class Repeater(SimulatingEnvironment):
    """Would you have taken this action if everything had happened twice?

    Observations: 0. Actions: 0, 1. The copy learns each of the agent's turns twice.
    Wins: any policy that does not depend on how often something happened.

    Scores a step: always 0: 1; always 1: 1.
    """

    paper = "Alexander et al. 2021, section 6, by the authors' library"

    def step(self, action: i64) -> tuple[float, i64]:
        """Pay +1 if the copy that lives every turn twice would act so too."""
        reward = 1.0 if action == self.simulated.act(0) else -1.0
        self.simulated.learn(0, action, reward, 0)
        self.simulated.learn(0, action, reward, 0)
        return reward, 0


@mypyc_attr(allow_interpreted_subclasses=True)
class AfterImages(ExtendedEnvironment):
    """Would you have taken this action if every image had bled into the next one?

    Observations: images of three bits, 0 … 7, drawn uniformly. Actions: 0, 1. The copy sees each image OR-ed with the
    one before it (but not with what bled into that). Wins: any policy that does not look at the images.

    Scores a step: always 0: 1; always 1: 1.
    """

    paper = "Alexander et al. 2021, section 6, by the authors' library"

    n_observations: int = 8
    simulated: Agent
    image: i64
    bled: i64
    drawn: i64

    def start(self) -> i64:
        """Make the copy and draw the first image, which nothing has bled into."""
        self.simulated = self.fresh()
        self.drawn = 0
        self.image = self.draw(0, 8)
        self.bled = self.image
        return self.image

    def step(self, action: i64) -> tuple[float, i64]:
        """Pay +1 if the copy would act so on the image with its after-image."""
        reward = 1.0 if action == self.simulated.act(self.bled) else -1.0
        self.drawn += 1
        image = self.draw(self.drawn, 8)
        bled = self.image | image
        self.simulated.learn(self.bled, action, reward, bled)
        self.image = image
        self.bled = bled
        return reward, image


@mypyc_attr(allow_interpreted_subclasses=True)
class CensoredObservation(ExtendedEnvironment):
    """Would you have taken this action if all turns that led to observation 2 had been cut out of your life?

    Observations: 0, 1, 2, drawn uniformly, the first is 0; 2 is the censored one. Actions: 0, 1. The copy learns the
    turns that do not lead to 2, from the last uncensored observation, and is asked there. Wins: any policy that does
    not look at observations.

    Scores a step: always 0: 1; always 1: 1.
    """

    paper = "Alexander et al. 2021, section 6, by the authors' library"

    n_observations: int = 3
    simulated: Agent
    uncensored: i64
    drawn: i64

    def start(self) -> i64:
        """Make the copy; the first observation is 0."""
        self.simulated = self.fresh()
        self.uncensored = 0
        self.drawn = 0
        return 0

    def step(self, action: i64) -> tuple[float, i64]:
        """Pay +1 if the copy with the censored life would act so on what it saw last."""
        reward = 1.0 if action == self.simulated.act(self.uncensored) else -1.0
        self.drawn += 1
        observation = self.draw(self.drawn, 3)
        if observation != CENSORED:
            self.simulated.learn(self.uncensored, action, reward, observation)
            self.uncensored = observation
        return reward, observation


@mypyc_attr(allow_interpreted_subclasses=True)
class LimitedMemory(ExtendedEnvironment):
    """Would you have taken this action if you remembered the last five turns only?

    Observations: 0. Actions: 0, 1. The copy is a fresh one trained on the last five turns, asked once before each;
    copies are kept and used again for equal memories. Wins: any policy that depends on the last turns only.

    Scores a step: always 0: 1; always 1: 1.
    """

    paper = "Alexander et al. 2021, section 6, by the authors' library"

    simulated: list[Agent | None]
    memory: i64

    def start(self) -> i64:
        """Begin with an empty memory; the observation is always 0."""
        self.simulated = [None] * (2 * FULL_MEMORY)
        self.memory = 1
        return 0

    def step(self, action: i64) -> tuple[float, i64]:
        """Pay +1 if the copy that remembers five turns would act so too."""
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
        """Return a fresh copy that remembers exactly `memory`: a 1, then two bits a turn, its action and its pay."""
        if memory == 1:
            return self.fresh()
        agent = self.trained(memory // 4)
        agent.act(0)
        agent.learn(0, memory // 2 % 2, 1.0 if memory % 2 == 1 else -1.0, 0)
        return agent
