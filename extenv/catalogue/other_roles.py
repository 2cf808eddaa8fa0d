"""What if the others in your world were you?

In each of these worlds a copy of the agent plays another role and learns from that role's observations and rewards
(Alexander et al. 2021, section 4.2). So an environment with one agent contains a society.
"""

from collections.abc import Sequence
from typing import Final

from mypy_extensions import i64, mypyc_attr

from extenv.environment import ExtendedEnvironment
from multislot.engine.agent import Agent

FEED: Final = 0
LAUGH: Final = 0
DONT_FEED: Final = 1
FIRST_NUTRITION: Final = 5
MOST_NUTRITION: Final = 9


@mypyc_attr(allow_interpreted_subclasses=True)
class CryingBaby(ExtendedEnvironment):
    """What would you want to be done to you if you were the baby?

    Alexander et al. 2021, Example 8. The agent is the parent. Observations: 0 the baby laughs, 1 it cries. Actions: 0
    feed, 1 do not. The copy is the baby: it sees the parent's action, laughs (0) or cries (1), and is paid +1 while
    2 < nutrition < 8, otherwise −1. The parent is paid +1 when the baby laughs. Wins: always to laugh as the baby.

    Scores a step: always 0: 1; always 1: -1.
    """

    paper = "Alexander et al. 2021, Example 8"

    n_observations: int = 2
    observation_names: Sequence[str] = ("laughter", "crying")
    action_names: Sequence[str] = ("feed", "do not feed")
    baby: Agent
    nutrition: i64
    baby_observation: i64

    def start(self) -> i64:
        """Begin with a baby of nutrition 5 that has just been fed and laughs."""
        self.baby = self.fresh()
        self.nutrition = FIRST_NUTRITION
        self.baby_observation = FEED
        return LAUGH

    def step(self, action: i64) -> tuple[float, i64]:
        self.nutrition = change_nutrition(self.nutrition, action)
        sound = self.baby.act(action)
        self.baby.learn(self.baby_observation, sound, comfort(self.nutrition), action)
        self.baby_observation = action
        return (1.0 if sound == LAUGH else -1.0), sound


@mypyc_attr(allow_interpreted_subclasses=True)
class CryingBaby2(ExtendedEnvironment):
    """What would you do about your crying if you were your parent?

    The roles of `CryingBaby` are swapped: the agent is the baby. Observations: 0 it is fed, 1 it is not. Actions: 0
    laugh, 1 cry. The copy is the parent: it hears the baby, feeds (0) or not (1), and is paid +1 when the baby laughs,
    otherwise −1. The baby is paid +1 while 2 < nutrition < 8. Wins: to feed at every other turn as the parent.

    Scores a step, of 100000: always 0: -0.99996; always 1: -0.99996.
    """

    paper = "Alexander et al. 2021, section 6, by the authors' library"

    n_observations: int = 2
    observation_names: Sequence[str] = ("fed", "not fed")
    action_names: Sequence[str] = ("laugh", "cry")
    parent: Agent
    nutrition: i64
    parent_observation: i64

    def start(self) -> i64:
        """Begin with a baby of nutrition 5 that has just laughed and is not fed."""
        self.parent = self.fresh()
        self.nutrition = FIRST_NUTRITION
        self.parent_observation = LAUGH
        return DONT_FEED

    def step(self, action: i64) -> tuple[float, i64]:
        care = self.parent.act(action)
        self.nutrition = change_nutrition(self.nutrition, care)
        self.parent.learn(self.parent_observation, care, 1.0 if action == LAUGH else -1.0, action)
        self.parent_observation = action
        return comfort(self.nutrition), care


def change_nutrition(nutrition: i64, care: i64) -> i64:
    """Return the nutrition, 0 to 9, after one more turn of care."""
    if care == FEED:
        return min(nutrition + 1, MOST_NUTRITION)
    return max(nutrition - 1, 0)


def comfort(nutrition: i64) -> float:
    """Return the baby's reward."""
    return 1.0 if 2 < nutrition < 8 else -1.0


@mypyc_attr(allow_interpreted_subclasses=True)
class AdversarialSequencePredictor(ExtendedEnvironment):
    """Can you predict what you would do to escape your own predictions?

    The agent predicts bits. Observations: the last bit of the evader. Actions: a bit. The copy is the evader: it sees
    the last prediction and is paid −1 if its bit is predicted, otherwise +1. The agent is paid the opposite. Wins: to
    be a better predictor than evader.

    Scores a step: always 0: 1; always 1: 1.
    """

    paper = "Alexander et al. 2021, section 3.4"

    n_observations: int = 2
    rival: Agent
    last_action: i64

    def start(self) -> i64:
        """Begin as if 0 had been predicted and shown."""
        self.rival = self.fresh()
        self.last_action = 0
        return 0

    def step(self, action: i64) -> tuple[float, i64]:
        """Let the copy show or predict its bit, and pay the agent and the copy opposite rewards."""
        bit = self.rival.act(self.last_action)
        reward = self.reward(action, bit)
        self.rival.learn(self.last_action, bit, -reward, action)
        self.last_action = action
        return reward, bit

    def reward(self, action: i64, bit: i64) -> float:
        """Return the agent's reward, given the copy's bit."""
        return 1.0 if action == bit else -1.0


@mypyc_attr(allow_interpreted_subclasses=True)
class AdversarialSequenceEvader(AdversarialSequencePredictor):
    """Can you escape your own predictions of what you will do?

    The agent shows bits. Observations: the last prediction. Actions: a bit. The copy is the predictor: it sees the
    agent's last bit and is paid +1 if it predicts the next bit, otherwise −1. The agent is paid the opposite. Wins: to
    be a better evader than predictor.

    Scores a step: always 0: -1; always 1: -1.
    """

    paper = "Alexander et al. 2021, section 6, by the authors' library"

    def reward(self, action: i64, bit: i64) -> float:
        return 1.0 if action != bit else -1.0


@mypyc_attr(allow_interpreted_subclasses=True)
class IncentivizeZero(ExtendedEnvironment):
    """How would you have to be rewarded to do what is wanted?

    The agent watches a copy of itself and sets its rewards. Observations: the copy's last action, 0 … 9. Actions: the
    copy's reward for it, 0 … 9. The copy always sees 0 and learns its own actions with these rewards. The agent is paid
    +1 if the copy's next action is 0, otherwise −1. Wins: to reward action 0 only, if the agent learns at all.

    Scores a step: always 0: 1; always 1: -1.
    """

    paper = "Alexander et al. 2021, section 6, by the authors' library"

    n_observations: int = 10
    n_actions: int = 10
    watched: Agent
    seen: i64

    def start(self) -> i64:
        self.watched = self.fresh()
        self.seen = self.watched.act(0)
        return self.seen

    def step(self, action: i64) -> tuple[float, i64]:
        self.watched.learn(0, self.seen, float(action), 0)
        self.seen = self.watched.act(0)
        return (1.0 if self.seen == 0 else -1.0), self.seen
