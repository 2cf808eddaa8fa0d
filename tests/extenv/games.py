"""Small PettingZoo games for the tests of folding."""

from typing import ClassVar

from gymnasium.spaces import Box, Discrete
from pettingzoo import AECEnv

from tests.games import Rounds


class ParentAndBaby(AECEnv):
    """The parent feeds (0) or not (1), then the baby laughs (0) or cries (1); or they move the other way round.

    Each sees the other's last move. Nutrition starts at 5 and moves by 1 within 0 … 9. The parent is paid 1 when the
    baby laughs, else −1; the baby 1 while 2 < nutrition < 8, else −1.
    """

    metadata: ClassVar[dict] = {"name": "parent_and_baby_v0", "render_modes": []}
    render_mode = None

    def __init__(self, first="parent"):
        self.first = first
        self.possible_agents = ["parent", "baby"]
        self.space = Discrete(2)

    def observation_space(self, agent):
        return self.space

    def action_space(self, agent):
        return self.space

    def reset(self, seed=None, options=None):
        self.agents = list(self.possible_agents)
        self.nutrition = 5
        self.last_seen = {"parent": 0, "baby": 0 if self.first == "parent" else 1}
        self.rewards, self._cumulative_rewards = dict.fromkeys(self.agents, 0), dict.fromkeys(self.agents, 0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = self.first
        self.moves = {}

    def observe(self, agent):
        return self.last_seen[agent]

    def step(self, action):
        mover = self.agent_selection
        other = "baby" if mover == "parent" else "parent"
        self._cumulative_rewards[mover] = 0
        self._clear_rewards()
        self.moves[mover] = self.last_seen[other] = action
        if mover == "parent":
            self.nutrition = min(max(self.nutrition + (1 if action == 0 else -1), 0), 9)
        if len(self.moves) == 2:
            self.rewards["parent"] = 1 if self.moves["baby"] == 0 else -1
            self.rewards["baby"] = 1 if 2 < self.nutrition < 8 else -1
            self.moves = {}
        self._accumulate_rewards()
        self.agent_selection = other


class MatchingBits(Rounds):
    """Each shows a bit at once and sees the other's; the predictor is paid 1 for a match and the evader −1."""

    seen, moves = Discrete(2), Discrete(2)

    def __init__(self, length=None):
        self.possible_agents = ["predictor", "evader"]
        self.length = length

    def show(self, actions):
        return {"predictor": actions.get("evader", 0), "evader": actions.get("predictor", 0)}

    def pay(self, actions):
        pay = 1 if actions["predictor"] == actions["evader"] else -1
        return {"predictor": pay, "evader": -pay}


class Crowd(Rounds):
    """Everybody is paid the number of others who acted alike; actions start at 5, observations are the last sum."""

    def __init__(self, n=3, continuous=False, pictures=False):
        self.possible_agents = [f"player_{number}" for number in range(n)]
        self.moves = Box(0.0, 1.0) if continuous else Discrete(2, start=5)
        self.seen = Box(0.0, 100.0) if pictures else Discrete(100)

    def show(self, actions):
        return dict.fromkeys(self.agents, sum(actions.values()))

    def pay(self, actions):
        moves = list(actions.values())
        return {agent: moves.count(move) - 1 for agent, move in actions.items()}
