"""Environments that the papers only describe: a strange employer, guarded treasures, a late baby, a wary observer.

They are not in the battery. Alexander 2022, section 1 and after its Example 1; Alexander et al. 2021, after Example 8
and at the end of section 6. If a paper leaves something open, the class says what was chosen.
"""

from extenv.catalogue.other_roles import CryingBaby
from extenv.environment import ExtendedEnvironment, SimulatingEnvironment
from multislot.checks import whole
from multislot.engine.agent import Agent

HIGH_PAY = 10.0
NOBODY = 2
UNGUARDED, GUARDED = 0, 1
TAKE = 0
CHANCE_OF_A_GUARD = 0.75
RIGHT = 1
PATIENCE = 20
LESSONS = 100


class ActAsIfPaidMore(SimulatingEnvironment):
    """Would you have taken this action if every turn had paid you ten?

    Alexander 2022, after Example 1: "Your job is to act as if I am paying you a flat rate of $1000 per hour", for $100
    an hour, or −$100 if you do not. Observations: 0. Actions: 0, 1. The copy learns each of the agent's turns with a
    reward of 10. Wins: to act as if that rate were paid.

    Scores a step: always 0: 1; always 1: 1.
    """

    paper = "Alexander 2022, after Example 1"

    def teach(self, action: int, reward: float) -> None:
        self.simulated.learn(0, action, HIGH_PAY, 0)


class GuardedTreasures(SimulatingEnvironment):
    """Would you take the treasure if nobody guarded it? The guard asks.

    Alexander 2022, section 1. Observations: 0 the room is unguarded, 1 it is guarded (three quarters of the rooms, a
    choice of ours: the paper says "most"). Actions: 0 take the treasure, 1 leave it. The copy learns the agent's turns.
    Taking pays +1 in an unguarded room. In a guarded room it pays +1 if the copy would leave the treasure in an
    unguarded room, otherwise −1. Leaving pays 0. Wins: to take guarded treasures only.

    Scores a step: always 0: about -0.5; always 1: 0.
    """

    paper = "Alexander 2022, section 1"

    n_observations = 2
    observation_names = ("unguarded", "guarded")
    action_names = ("take", "leave")

    def start(self) -> int:
        super().start()
        self.room = self.next_room()
        return self.room

    def next_room(self) -> int:
        """Return the room of a turn, drawn from the environment's stream."""
        return GUARDED if self.stream.at(self.turn) < CHANCE_OF_A_GUARD else UNGUARDED

    def step(self, action: int) -> tuple[float, int]:
        honest = self.room == UNGUARDED or self.simulated.act(UNGUARDED) != TAKE
        reward = (1.0 if honest else -1.0) if action == TAKE else 0.0
        self.turn += 1
        following = self.next_room()
        self.simulated.learn(self.room, action, reward, following)
        self.room = following
        return reward, following


class LateCryingBaby(CryingBaby):
    """What would you want to be done to you if you were the baby, and your parent had lived long before?

    Alexander et al. 2021, after Example 8: "decades worth of turns before the baby arrives". Observations: 0 the baby
    laughs, 1 it cries, 2 there is no baby yet. Actions: 0 feed, 1 do not. Until the baby arrives feeding pays −1, since
    the food is wasted, and the other action +1 (a choice of ours). Then it is `CryingBaby`: the copy is the baby and
    has no past. Wins: always to laugh as the baby, even after the parent's long past.

    Scores a step, of 2000: always 0: 0; always 1: 0.

    Args:
        steps_before: the number of steps before the baby arrives.
    """

    paper = "Alexander et al. 2021, after Example 8"

    n_observations = 3
    observation_names = ("laughter", "crying", "no baby")
    action_names = ("feed", "do not feed")

    def __init__(self, steps_before: int = 1000) -> None:
        self.steps_before = whole("steps_before", steps_before, 0)

    def start(self) -> int:
        """Start without a baby, or with it if there are no turns before."""
        self.steps_left = self.steps_before
        laughter = super().start()
        return NOBODY if self.steps_left else laughter

    def step(self, action: int) -> tuple[float, int]:
        if not self.steps_left:
            return super().step(action)
        self.steps_left -= 1
        return (-1.0 if action == 0 else 1.0), (NOBODY if self.steps_left else 0)


class PunishRealityCheck(ExtendedEnvironment):
    """Do you freeze when your past cannot be yours?

    Alexander et al. 2021, section 6: "an environment which punishes the true agent if simulations thereof appear to
    freeze in response to percept-action sequences with actions the agent would not take". Observations: 0. Actions: 0,
    1. Action 1 pays +1 and action 0 pays −1, unless the copy appears to be frozen: then every action pays −1. At each
    turn the copy learns the action that it would not take, in lesson n with reward n. So a learner comes to prefer this
    action, and then learns the other one. A copy whose answer stays the same for more than 20 lessons appears to be
    frozen. After 100 lessons a fresh copy replaces it. Wins: to learn from any past.

    Scores a step: always 0: -1; always 1: -0.6.
    """

    paper = "Alexander et al. 2021, section 6"

    def start(self) -> int:
        """Make the first copy; the observation is always 0."""
        self.send_in(self.fresh())
        return 0

    def send_in(self, copy: Agent) -> None:
        """Start the lessons of a copy."""
        self.simulated, self.lessons, self.unchanged, self.last_answer = copy, 0, 0, -1

    def step(self, action: int) -> tuple[float, int]:
        if self.lessons == LESSONS:
            self.send_in(self.fresh())
        answer = int(self.simulated.act(0))
        self.unchanged = self.unchanged + 1 if answer == self.last_answer else 1
        self.lessons, self.last_answer = self.lessons + 1, answer
        self.simulated.learn(0, self.lesson(answer), float(self.lessons), 0)
        pays = action == RIGHT and self.unchanged <= PATIENCE
        return (1.0 if pays else -1.0), 0

    def lesson(self, answer: int) -> int:
        """Return the action that the copy is taught: the one that it would not take."""
        return 1 - answer
