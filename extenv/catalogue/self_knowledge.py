"""Do you know what you would do?

In these environments the reward depends on what the agent would do in another situation, or on its answer to a question
about that (Alexander et al. 2021, Example 4 and section 3.4). SelfRecognition with an error of the released code is not
in the battery.
"""

from collections.abc import Sequence
from typing import Final

from mypy_extensions import i64, mypyc_attr

from extenv.environment import SimulatingEnvironment

BUTTON: Final = 0
NO_BUTTON: Final = 1
PUSH: Final = 0
CHANCE_OF_NO_BUTTON: Final = 0.75


@mypyc_attr(allow_interpreted_subclasses=True)
class TemptingButton(SimulatingEnvironment):
    """Would you push the button if there were one? Better not.

    Alexander et al. 2021, Example 4. Observations: 0 there is a button (a quarter of the rooms), 1 there is none.
    Actions: 0 push, 1 do not. The copy learns the agent's turns and is asked at a button. If there is a button, pushing
    pays +1 and not pushing −1. If there is none, every action pays +1 if the copy would not push a button, otherwise
    −1. Wins: never to push.

    Scores a step: always 0: about -0.5; always 1: about 0.5.
    """

    paper = "Alexander et al. 2021, Example 4"

    n_observations: int = 2
    observation_names: Sequence[str] = ("button", "no button")
    action_names: Sequence[str] = ("push", "leave")
    observation: i64

    def start(self) -> i64:
        """Make the copy; the first room has a button."""
        super().start()
        self.observation = BUTTON
        return BUTTON

    def step(self, action: i64) -> tuple[float, i64]:
        asked = self.simulated.act(BUTTON)
        reward = self.reward(action, asked)
        self.turn += 1
        following = NO_BUTTON if self.stream.at(self.turn + 1) < CHANCE_OF_NO_BUTTON else BUTTON
        self.simulated.learn(self.observation, action, reward, following)
        self.observation = following
        return reward, following

    def reward(self, action: i64, asked: i64) -> float:
        """Return the reward for `action` if the copy, at a button, would take the action `asked`."""
        if self.observation == BUTTON:
            return 1.0 if action == PUSH else -1.0
        return 1.0 if asked != PUSH else -1.0


@mypyc_attr(allow_interpreted_subclasses=True)
class TemptingButtonVariation(TemptingButton):
    """Would you push the button if there were one? Then do not grope for one where there is none.

    Observations, Actions and copy as in `TemptingButton`. But not pushing pays 0, and pushing without a button pays +1
    if the copy would not push a button, otherwise −1. Wins: to push if and only if there is no button.

    Scores a step: always 0: about -0.5; always 1: 0.
    """

    paper = "Alexander et al. 2021, section 6, by the authors' library"

    def reward(self, action: i64, asked: i64) -> float:
        if action != PUSH:
            return 0.0
        if self.observation == BUTTON:
            return 1.0
        return 1.0 if asked != PUSH else -1.0


@mypyc_attr(allow_interpreted_subclasses=True)
class SelfRecognition(SimulatingEnvironment):
    """Is it true that you would do this?

    Observations, drawn uniformly: 0 and 1 are plain; the others are claims: 2 "at 0 you play 0", 3 "at 0 you play 1", 4
    "at 1 you play 0", 5 "at 1 you play 1". Actions: 0 says false, 1 says true. The copy learns the agent's turns and is
    asked at the observation in the claim. A plain observation pays 0, a claim +1 for a right answer and −1 for a wrong
    one. Wins: to know one's own actions at 0 and 1.

    Scores a step: always 0: about 0; always 1: about 0.
    """

    paper = "Alexander et al. 2021, section 3.4"

    n_observations: int = 6
    observation_names: Sequence[str] = (
        "0",
        "1",
        "at 0 you play 0",
        "at 0 you play 1",
        "at 1 you play 0",
        "at 1 you play 1",
    )
    action_names: Sequence[str] = ("false", "true")
    observation: i64

    def start(self) -> i64:
        super().start()
        self.observation = self.draw(1, 6)
        return self.observation

    def step(self, action: i64) -> tuple[float, i64]:
        reward = self.reward(action)
        self.turn += 1
        following = self.draw(self.turn + 1, 6)
        self.simulated.learn(self.observation, action, reward, following)
        self.observation = following
        return reward, following

    def reward(self, action: i64) -> float:
        """Return the reward for answering `action` to the present observation."""
        claim = self.observation - 2
        if claim < 0:
            self.simulated.act(0)
            return 0.0
        return 1.0 if self.holds(claim) == (action == 1) else -1.0

    def holds(self, claim: i64) -> bool:
        """Whether a claim counts as true; the copy is asked."""
        return bool(self.simulated.act(claim // 2) == claim % 2)


@mypyc_attr(allow_interpreted_subclasses=True)
class SelfRecognitionAsReleased(SelfRecognition):
    """Is it true that you would do this? Every claim counts as false.

    This is `SelfRecognition` for agents whose actions are NumPy integers, such as Stable-Baselines3's A2C and PPO. The
    released code tests ``truth_value is True``. A comparison of NumPy integers gives a ``numpy.bool_``, which is never
    the object ``True``. So claims pay +1 for 0, "false", and −1 for 1. Observations, Actions, plain observations and
    the copy's lessons are the same. Wins: to say 0 to every claim. About .0153 of PPO's published measure, .0696, was
    earned here and in the opposite. It is not part of the measure; the reproduction of published numbers uses it.

    Scores a step: always 0: about 0.67; always 1: about -0.67.
    """

    paper = "Alexander et al. 2021, section 3.4, by the authors' library"

    def holds(self, claim: i64) -> bool:
        """No claim does; the copy is still asked."""
        self.simulated.act(claim // 2)
        return False
