"""Reinforcement learning itself, as an environment (Alexander 2022, Example 13).

The agent is shown environments one after another. The action "play" pays at once the total reward that the agent would
ever get there. The paper shows the environments whose total reward ZFC proves. Here a run replaces the proof: if an
environment is known to end, running it to its end computes its total reward exactly. So this is an enumeration of
ending environments, and observation n stands for the n-th one.
"""

from dataclasses import dataclass

from extenv.formal.codings import PLAYS
from extenv.formal.plays import (
    FormalAgent,
    FormalEnvironment,
    FormalPercept,
    Play,
    Rational,
    actions,
    interact,
    observations,
    rewards,
)
from extenv.formal.recognition_examples import Enumeration
from multislot.checks import whole
from multislot.errors import SettingError

PLAY_IT = 0


@dataclass(frozen=True)
class Ending:
    """An environment with a known end, after which it always pays 0 and shows 0.

    Attributes:
        environment: gives the percepts until its end.
        n_percepts: the number of these percepts, the first one included.
    """

    environment: FormalEnvironment
    n_percepts: int

    def __post_init__(self) -> None:
        whole("n_percepts", self.n_percepts, 0)

    def __call__(self, agent: FormalAgent, play: Play) -> FormalPercept:
        """Return the percept after `play`."""
        return self.environment(agent, play) if len(play) // 3 < self.n_percepts else (0, 0)


def total_reward(agent: FormalAgent, ending: Ending) -> Rational:
    """Compute ``Σ r_i`` over all turns (Alexander 2022, Def. 5) by running to the end."""
    if not isinstance(ending, Ending):
        raise SettingError("got an environment without a known end; wrap it as Ending(environment, n_percepts)")
    return sum(rewards(interact(agent, ending, ending.n_percepts)))


def guessing_game(script: Play) -> Ending:
    """Make the environment that shows the observations of `script` and pays reward i for action i, otherwise 0."""
    wanted, paid, seen = actions(script), rewards(script), observations(script)

    def environment(_agent: FormalAgent, play: Play) -> FormalPercept:
        turn = len(play) // 3
        reward = paid[turn - 1] if play and play[-1] == wanted[turn - 1] else 0
        return reward, (seen[turn] if turn < len(seen) else 0)

    return Ending(environment, len(wanted) + 1)


class GuessingGames:
    """The enumeration of all guessing games: number n is that of play n."""

    def __getitem__(self, number: int) -> Ending:
        """Return game `number`."""
        return guessing_game(PLAYS[number])


def meta(environments: Enumeration[Ending]) -> FormalEnvironment:
    """Make the environment in which action 0 plays the environment shown, and any other action does not.

    Args:
        environments: environment n is shown as observation n, such as ``GuessingGames()``.
    """

    def environment(agent: FormalAgent, play: Play) -> FormalPercept:
        if not play:
            return 0, 0
        shown = len(play) // 3
        return (total_reward(agent, environments[shown - 1]) if play[-1] == PLAY_IT else 0), shown

    return environment
