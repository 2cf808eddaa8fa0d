"""A game of several agents as one extended environment; use it as `extenv.composing.compose.fold`.

"Multi-agent non-extended environments can be transformed into single-agent extended environments, by letting the same
agent play all the different roles" (Alexander et al. 2021, section 4.2).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from operator import index
from typing import Any, Literal, get_args

from pettingzoo import AECEnv

from extenv.environment import LARGEST_SEED, ExtendedEnvironment
from multislot.checks import checked_mapping, checked_parts, known_name
from multislot.engine.agent import Agent
from multislot.errors import SettingError, show_value
from multislot.zoo.spaces import Encoder, FiniteSpace, encoder_of, index_of

Labels = Literal["answered", "before"]


@dataclass
class Role:
    """One of the others of a game, and the copy that plays it.

    Attributes:
        agent: the copy.
        before: the index of the observation before `answered`.
        answered: the index of the observation at its last action, or of its first observation; 0 before it enters.
        action: its last action; None after it has learned from it.
    """

    agent: Agent
    before: int = 0
    answered: int = 0
    action: int | None = None


class Folded(ExtendedEnvironment):
    """What would you do to yourself if you were everybody?

    The agent plays one agent of a game. A copy of it plays each of the others and learns from that player's
    observations, actions and rewards. The agent receives the sum of its part's rewards between two of its turns. When a
    game ends for the agent, a new one begins; the copies remember the last one.
    """

    def __init__(
        self, game: AECEnv[Any, Any, Any], player: str | None, labels: Labels, encoders: Mapping[str, Encoder]
    ) -> None:
        names = list(checked_parts("game", game, "possible_agents").possible_agents)
        if len(names) < 2:
            raise SettingError(f"got a game of {len(names)} agents; there is nobody for a copy to play")
        for name in (*checked_mapping("encoders", encoders), *(() if player is None else (player,))):
            known_name("player", name, names)
        if labels not in get_args(Labels):
            raise SettingError(f'got labels={show_value(labels)}; expected "answered" or "before"')
        self.game, self.labels = game, labels
        self.player = names[0] if player is None else player
        self.encoders, self.actions = dict[str, Encoder](), dict[str, FiniteSpace]()
        for name in names:
            self.encoders[name] = encoder_of(game.observation_space(name), repr(name), encoders.get(name))
            self.actions[name] = FiniteSpace(f"action of {name!r}", game.action_space(name))
        self.n_observations = index(self.encoders[self.player].n_observations)
        self.n_actions = self.actions[self.player].count

    def start(self) -> int:
        """Make a copy for every other player and play until it is the agent's turn."""
        self.episode = 0
        self.roles = {
            name: Role(self.factory(encoder.n_observations, self.actions[name].count, self.agent_stream))
            for name, encoder in self.encoders.items()
            if name != self.player
        }
        return self.start_game()

    def start_game(self) -> int:
        """Start a game, seeded by the run's stream; return the agent's observation at its first turn."""
        self.game.reset(seed=self.draw(self.episode, LARGEST_SEED))
        self.episode += 1
        self.earned = dict.fromkeys(self.encoders, 0.0)
        for name, role in self.roles.items():
            role.answered = self.seen(name) if name in self.game.agents else 0
        self.let_others_play()
        if self.over():
            raise SettingError(
                f"the game was over before the first turn of {self.player!r}; fold it for another player"
            )
        return self.seen(self.player)

    def step(self, action: int) -> tuple[float, int]:
        """Take the agent's turn, and let the others take theirs until it is the agent's again."""
        self.earned[self.player] = 0.0
        self.take_turn(self.actions[self.player].value(action))
        self.let_others_play()
        reward = self.earned[self.player]
        if self.over():
            for name in self.roles:
                self.learn(name, None)
            return reward, self.start_game()
        return reward, self.seen(self.player)

    def over(self) -> bool:
        """Whether the game is over for the agent."""
        game, player = self.game, self.player
        return player not in game.agents or bool(game.terminations[player] or game.truncations[player])

    def seen(self, name: str) -> int:
        """Return the index of the present observation of `name`."""
        return index_of(self.encoders[name], self.game.observe(name), repr(name))

    def take_turn(self, action: Any) -> None:
        """Take the present turn with an action of the game, and add up everyone's rewards."""
        self.game.step(action)
        for name, reward in self.game.rewards.items():
            self.earned[name] += float(reward)

    def let_others_play(self) -> None:
        """Let the others take their turns until it is the agent's turn, or the game is over for the agent."""
        while not self.over() and self.game.agent_selection != self.player:
            self.play(self.game.agent_selection)
        if self.labels == "before":
            for name, role in self.roles.items():
                self.learn(name, role.answered)

    def play(self, name: str) -> None:
        """Let a copy take its turn; if the game has ended for it, it only learns."""
        game, role = self.game, self.roles[name]
        if game.terminations[name] or game.truncations[name]:
            self.learn(name, None)
            self.take_turn(None)
            return
        seen = self.seen(name)
        self.learn(name, seen)
        role.before, role.answered, role.action = role.answered, seen, role.agent.act(seen)
        self.take_turn(self.actions[name].value(role.action))

    def learn(self, name: str, seen: int | None) -> None:
        """Let a copy learn from its last action and its rewards since then, unless it already has.

        Args:
            name: of the player that it plays.
            seen: the index of its present observation; None if the game has ended for it.
        """
        role, reward, is_before = self.roles[name], self.earned[name], self.labels == "before"
        if role.action is not None:
            observation = role.before if is_before else role.answered
            if seen is None:
                role.agent.learn_last(observation, role.action, reward)
            else:
                role.agent.learn(observation, role.action, reward, role.answered if is_before else seen)
        role.action, self.earned[name] = None, 0.0
