"""What the small PettingZoo games of the tests share."""

from pettingzoo import ParallelEnv


class Game(ParallelEnv):
    """All agents have one space of observations, `seen`, and one of actions, `moves`."""

    metadata = {"name": "game", "is_parallelizable": True}  # noqa: RUF012
    render_mode = None

    def observation_space(self, agent):
        return self.seen

    def action_space(self, agent):
        return self.moves


class Rounds(Game):
    """All agents act in every round, and all end after `length` rounds, if that is a number.

    A subclass says what a round pays, `pay`, and what agents see after it, `show`.
    """

    length, is_truncated = None, False

    def reset(self, seed=None, options=None):
        self.agents, self.time = list(self.possible_agents), 0
        return self.show({}), {agent: {} for agent in self.agents}

    def step(self, actions):
        self.time += 1
        never, ended = (dict.fromkeys(self.agents, over) for over in (False, self.time == self.length))
        flags = (never, ended) if self.is_truncated else (ended, never)
        told = self.show(actions), self.pay(actions), *flags, {agent: {} for agent in self.agents}
        self.agents = [] if self.time == self.length else self.agents
        return told
