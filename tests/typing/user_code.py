"""Code of a user, which Pyright and mypy must accept; see `tests.typing.test_user_code`."""

from fractions import Fraction

from multislot import Agent, Percept, Turn, World, run
from multislot.agents import QLearner
from multislot.exact import FileKernel, Kernel, KernelWorld, action_values, plan_for_copies, world_named


class Mine(Agent):
    def __init__(self, n_observations: int, n_actions: int, stream: object) -> None:
        self.n_actions = n_actions

    def act(self, observation: int) -> int:
        return 0

    def learn(self, observation: int, action: int, reward: float, next_observation: int) -> None:
        pass


class Room(World):
    n_observations = 2
    n_actions = 2

    def start(self, seed: int) -> dict[int, Percept]:
        return {1: Percept(1)}

    def step(self, actions: "object") -> Turn:
        return Turn({1: (1,)}, {1: Percept(1, 1.0)})


def gains(kernel: Kernel) -> float:
    return float(action_values(kernel, "cpy", discount=Fraction(1, 2), horizon=2)["stay"])


kernel: FileKernel = world_named("copy")
print(gains(kernel), KernelWorld(kernel), plan_for_copies(kernel, caring=1, discount=1, horizon=2).value)
trace = run(Room(), {1: Mine}, steps=3)
trace = run(Room(), {1: QLearner}, steps=3)
