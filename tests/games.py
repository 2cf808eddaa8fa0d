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
