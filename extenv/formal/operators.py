"""New extended environments from old: handicaps, self-insertion, mirrors and binocular vision (Alexander 2022).

A handicap pays 1 or −1 and shows nothing; ``e * h`` imposes it on a merciful environment e (Def. 4). ``e * h`` is not
merciful, so several handicaps are joined first: ``e * (h₁ & h₂)``. All the paper's handicaps pay 0 at the empty play,
since there is no action to judge; there ``e * h`` gives e's own percept.

In the other operators the agent is paid for acting as if it saw something else. The new environment hides the rewards
of e. So e receives its own play, which results from the agent's actions. (In Example 7 the paper writes ``e(T, p⌢a)``
with the play of the new environment, as in `self_inserted_as_printed`; in Examples 8 and 9 it leaves this open.)
"""

from collections.abc import Callable
from dataclasses import dataclass

from extenv.formal.codings import NATURALS, PERCEPTS, Coding, pairs
from extenv.formal.plays import (
    FormalAgent,
    FormalEnvironment,
    FormalPercept,
    MercyError,
    PerceptError,
    Play,
    Prompt,
    actions,
    checked_percept,
    split,
    with_percepts,
)
from extenv.measuring.debugger import steps_of_call
from multislot.checks import checked_instance
from multislot.errors import SettingError

SNAPSHOTS: Coding[tuple[int, int]] = pairs(NATURALS, NATURALS)
"""Observations that hold two snapshots, one for each eye."""


@dataclass(frozen=True)
class Handicap:
    """An environment that always shows 0 and pays 1 or −1; 0 at the empty play (Alexander 2022, Def. 4)."""

    environment: FormalEnvironment

    def __call__(self, agent: FormalAgent, play: Play) -> FormalPercept:
        """Return the percept after `play`."""
        reward, observation = self.environment(agent, play)
        if observation != 0 or not (reward in (1, -1) or (reward == 0 and not play)):
            raise PerceptError(
                f"turn {len(play) // 3}: got reward {reward} and observation {observation}; a handicap pays 1 or -1 "
                "(or 0 at the empty play) and shows 0"
            )
        return reward, observation

    def __and__(self, other: "Handicap") -> "Handicap":
        """Return h₁∧h₂, which pays 1 only where both do."""
        checked_instance("handicap", other, Handicap)
        return Handicap(lambda agent, play: (min(self(agent, play)[0], other(agent, play)[0]), 0))

    def __rmul__(self, environment: FormalEnvironment) -> FormalEnvironment:
        """Raise an error: the environment is not declared merciful."""
        raise SettingError(
            "got an environment that is not declared merciful; a handicap applies to Merciful(e), and several of them "
            "together as Merciful(e) * (h1 & h2)"
        )


no_handicap = Handicap(lambda _agent, play: (1 if play else 0, 0))
"""Approves of everything: the neutral element of ``&``, and ``e * no_handicap`` is e."""


@dataclass(frozen=True)
class Merciful:
    """An environment declared never to pay a negative reward (Alexander 2022, Def. 4)."""

    environment: FormalEnvironment

    def __call__(self, agent: FormalAgent, play: Play) -> FormalPercept:
        """Return the percept after `play`."""
        reward, observation = self.environment(agent, play)
        if reward < 0:
            raise MercyError(
                f"turn {len(play) // 3}: an environment declared merciful paid {reward}; "
                "handicap only environments whose rewards are never negative"
            )
        return reward, observation

    def __mul__(self, handicap: Handicap) -> FormalEnvironment:
        """Return ``e * h``: e's percepts, but −1 in place of e's reward wherever h pays −1."""
        if not isinstance(handicap, Handicap):
            raise SettingError("got an environment that is not declared a handicap; wrap it as Handicap(environment)")

        def handicapped(agent: FormalAgent, play: Play) -> FormalPercept:
            reward, observation = self(agent, play)
            return (-1 if handicap(agent, play)[0] == -1 else reward), observation

        return handicapped


def decode_percepts(prompt: Prompt) -> Prompt:
    """Replace every percept of a prompt by the one that its observation encodes, ``ô`` of Example 7."""
    return with_percepts(prompt, lambda _reward, observation: PERCEPTS.decode(observation))


def self_inserted_as_printed(environment: FormalEnvironment) -> FormalEnvironment:
    """Return e′ of Alexander 2022, Example 7, as printed.

    The agent sees e's percept encoded in its observation. It is paid for acting as if it received the rewards shown. As
    printed, the first percept is e's own and is not encoded, but it is decoded like the others; and e receives the play
    of e′. See `self_inserted`.
    """

    def inserted(agent: FormalAgent, play: Play) -> FormalPercept:
        percept = checked_percept(environment(agent, play), len(play) // 3)
        if not play:
            return percept
        prompt, action = split(play)
        return (1 if action == agent(decode_percepts(prompt)) else -1), PERCEPTS.encode(percept)

    return inserted


def self_inserted(environment: FormalEnvironment) -> FormalEnvironment:
    """Return e′ of Alexander 2022, Example 7, corrected.

    The first percept is encoded like the others, with reward 0 because there is no action to judge yet. The environment
    e receives its own play, decoded from that of e′. Both versions raise PerceptError if e does not return an exact
    reward and a natural observation.
    """

    def shown(agent: FormalAgent, play: Play) -> int:
        return PERCEPTS.encode(checked_percept(environment(agent, play), len(play) // 3))

    def inserted(agent: FormalAgent, play: Play) -> FormalPercept:
        if not play:
            return 0, shown(agent, play)
        prompt, action = split(play)
        imagined = decode_percepts(prompt)
        return (1 if action == agent(imagined) else -1), shown(agent, (*imagined, action))

    return inserted


def reward_acting_as(
    environment: FormalEnvironment, imagined: Callable[[FormalAgent, Prompt], Prompt]
) -> FormalEnvironment:
    """Make an environment with the observations of another one, which pays for acting as on an imagined prompt.

    At the empty play it pays 0.
    """

    def projected(agent: FormalAgent, play: Play) -> FormalPercept:
        own: Play = ()
        for action in actions(play):
            own = (*own, *environment(agent, own), action)
        _reward, observation = environment(agent, own)
        if not play:
            return 0, observation
        prompt, action = split(play)
        return (1 if action == agent(imagined(agent, prompt)) else -1), observation

    return projected


def project_observations(projection: Callable[[int], int]) -> Callable[[FormalAgent, Prompt], Prompt]:
    """Return the function that projects every observation of a prompt and leaves its rewards."""
    return lambda _agent, prompt: with_percepts(prompt, lambda reward, observation: (reward, projection(observation)))


def mirrored(environment: FormalEnvironment, mirror: Callable[[int], int]) -> FormalEnvironment:
    """Return the room whose agent should act as if the mirror were all it saw (Alexander 2022, Example 8).

    Args:
        environment: shows snapshots of a room with a mirror in it.
        mirror: the restriction of a snapshot to the mirror.
    """
    return reward_acting_as(environment, project_observations(mirror))


def mirrored_with_body(
    environment: FormalEnvironment, mirror: Callable[[int], int], body: Callable[[int, int], int]
) -> FormalEnvironment:
    """Return the room whose mirror also shows the agent's "body" (Alexander 2022, after Example 8).

    The body depends on the number of steps that the agent took to compute its last action. For a Python function these
    are the steps of Python's debugger (`extenv.measuring.debugger`); a compiled function has none.

    Args:
        environment: shows snapshots of a room with a mirror in it.
        mirror: the restriction of a snapshot to the mirror.
        body: from the mirror's picture and the number of steps to the picture with the body. The number is 0 at the
            first observation.
    """

    def imagined(agent: FormalAgent, prompt: Prompt) -> Prompt:
        changed = list(prompt)
        for place in range(1, len(prompt), 3):
            thought = 0 if place == 1 else steps_of_call(agent, prompt[: place - 2])
            changed[place] = body(mirror(int(prompt[place])), thought)
        return tuple(changed)

    return reward_acting_as(environment, imagined)


def binocular(
    game: Callable[[tuple[int, ...]], tuple[int, int]], model: Callable[[int, int], int]
) -> FormalEnvironment:
    """Return the game whose agent should act as if it saw in depth (Alexander 2022, Example 9).

    Args:
        game: V.
        model: m, the three-dimensional scene equivalent to two snapshots.
    """
    return reward_acting_as(
        lambda _agent, play: (0, SNAPSHOTS.encode(game(actions(play)))),
        project_observations(lambda observation: model(*SNAPSHOTS.decode(observation))),
    )
