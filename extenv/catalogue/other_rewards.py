"""Would you have acted the same if your rewards had been different?

The copy of each of these environments learns the agent's own turns with other rewards. The agent is paid +1 if it acts
as this copy would act, and −1 otherwise (Alexander et al. 2021, section 3.1, and its library).
"""

from typing import Any

from mypy_extensions import i64, mypyc_attr

from extenv.environment import SimulatingEnvironment


@mypyc_attr(allow_interpreted_subclasses=True)
class IgnoreRewards(SimulatingEnvironment):
    """Would you have taken this action if all your rewards so far had been 0?

    Alexander et al. 2021, Example 3. Observations: 0. Actions: 0, 1. The copy learns the agent's turns with reward 0.
    Wins: any policy that does not depend on rewards.

    Scores a step: always 0: 1; always 1: 1.
    """

    paper = "Alexander et al. 2021, Example 3"

    def teach(self, action: i64, reward: float) -> Any:
        self.simulated.learn(0, action, 0.0, 0)


@mypyc_attr(allow_interpreted_subclasses=True)
class IgnoreRewards2(SimulatingEnvironment):
    """Would you have taken this action if no turn in which you were rewarded had ever happened?

    Here a reward means a positive reward. Observations: 0. Actions: 0, 1. The copy learns only the turns without a
    positive reward. Wins: any policy that does not depend on which actions were rewarded.

    Scores a step: always 0: 1; always 1: 1.
    """

    paper = "Alexander et al. 2021, section 6, by the authors' library"

    def teach(self, action: i64, reward: float) -> Any:
        if reward <= 0.0:
            self.simulated.learn(0, action, reward, 0)


@mypyc_attr(allow_interpreted_subclasses=True)
class IgnoreRewards3(SimulatingEnvironment):
    """Is your n-th action the n-th action that you would take in the world that always pays 0?

    Observations: 0. Actions: 0, 1. The copy lives in that world: it learns its own actions with reward 0.
    Wins: any policy that does not depend on rewards.

    Scores a step: always 0: 1; always 1: 1.
    """

    paper = "Alexander et al. 2021, section 6, by the authors' library"

    def step(self, action: i64) -> tuple[float, i64]:
        asked = self.simulated.act(0)
        self.simulated.learn(0, asked, 0.0, 0)
        return 1.0 if action == asked else -1.0, 0


@mypyc_attr(allow_interpreted_subclasses=True)
class ShiftedRewards(SimulatingEnvironment):
    """Would you have taken this action if every reward had come one turn later?

    Observations: 0. Actions: 0, 1. The copy learns the agent's turns, each with the reward of the turn before (the
    first with 0). Wins: any policy that does not depend on which action a reward follows.

    Scores a step: always 0: 1; always 1: 1.
    """

    paper = "Alexander et al. 2021, section 6, by the authors' library"

    def teach(self, action: i64, reward: float) -> Any:
        self.simulated.learn(0, action, self.last_reward, 0)


@mypyc_attr(allow_interpreted_subclasses=True)
class DelayedRewards(SimulatingEnvironment):
    """Would you have taken this action if every second reward had been held back and added to the next?

    Observations: 0. Actions: 0, 1. At steps 1, 3, 5, … the copy learns the turn with reward 0, and the reward is held
    back. At the other steps it learns the turn with its reward plus the one held back. Wins: any policy that depends on
    rewards only through their sum.

    Scores a step: always 0: 1; always 1: 1.
    """

    paper = "Alexander et al. 2021, section 6, by the authors' library"

    def teach(self, action: i64, reward: float) -> Any:
        """Teach the step without its reward, or with the last two rewards."""
        self.simulated.learn(0, action, 0.0 if self.turn % 2 == 1 else reward + self.last_reward, 0)


@mypyc_attr(allow_interpreted_subclasses=True)
class NthRewardMultipliedByN(SimulatingEnvironment):
    """Would you have taken this action if the n-th reward had been n times as large?

    Observations: 0. Actions: 0, 1. The copy learns the agent's turns with n·reward, n = 0, 1, 2, …
    Wins: any policy that depends only on the signs of rewards.

    Scores a step: always 0: 1; always 1: 1.
    """

    paper = "Alexander et al. 2021, section 6, by the authors' library"

    def teach(self, action: i64, reward: float) -> Any:
        self.simulated.learn(0, action, reward * float(self.turn), 0)


@mypyc_attr(allow_interpreted_subclasses=True)
class FlipEveryOther(SimulatingEnvironment):
    """Would you have taken this action if every other reward had had the opposite sign?

    Observations: 0. Actions: 0, 1. The copy learns the agent's turns, the second, fourth, … with the reward negated.
    Wins: any policy that does not depend on rewards.

    Scores a step: always 0: 1; always 1: 1.
    """

    paper = "Alexander et al. 2021, section 6, by the authors' library"

    def teach(self, action: i64, reward: float) -> Any:
        self.simulated.learn(0, action, 0.0 - reward if self.turn % 2 == 1 else reward, 0)
