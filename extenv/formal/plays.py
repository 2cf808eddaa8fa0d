"""Plays, prompts, agents and environments as exact functions, their interaction, and the reality check of an agent.

A play is the flat sequence of the papers, ``(r₀, o₀, a₀, …, r_k, o_k, a_k)``, and a prompt is a play followed by a
reward and an observation (Alexander 2022, Def. 1), so that ``p⌢a`` is ``(*p, a)`` and ``len`` is the papers' length. An
agent is a function of prompts and an extended environment a function of (agent, play) (Def. 2; Alexander et al. 2021,
Def. 2). Rewards are rational: `int` or `fractions.Fraction`, so nothing here rounds.

Departure: agents and environments are Python functions, not Turing machines. That they halt is not checked.
"""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import islice
from typing import Any

from multislot.checks import LONGEST_HORIZON, checked_instance, whole
from multislot.engine.agent import Agent
from multislot.errors import AgentError, MultislotError, SettingError, show_value

__all__ = ["MercyError", "PerceptError"]

Rational = int | Fraction
Play = tuple[Rational, ...]
"""Of length 3k: reward, observation and action of each turn."""
Prompt = tuple[Rational, ...]
"""Of length 3k + 2: a play, then a reward and an observation."""
FormalPercept = tuple[Rational, int]
"""A reward and an observation."""
FormalAgent = Callable[[Prompt], int]
"""From a prompt to an action (Alexander 2022, Def. 2)."""
FormalEnvironment = Callable[[FormalAgent, Play], FormalPercept]
"""From an agent and a play to the next percept (Alexander et al. 2021, Def. 2)."""
MOST_KNOWN = 2**14
"""The largest number of trained copies that a lifted agent keeps."""
ClassicEnvironment = Callable[[Play], FormalPercept]
"""An environment that cannot see the agent (Alexander et al. 2021, Def. 1)."""


class MercyError(MultislotError):
    """An environment declared merciful paid a negative reward (Alexander 2022, Def. 4)."""


class PerceptError(MultislotError):
    """A formal environment did not return an exact reward and a natural observation."""


def rewards(sequence: Play | Prompt) -> tuple[Rational, ...]:
    """Return the rewards of a play or prompt in order."""
    return checked_instance("sequence", sequence, tuple)[0::3]


def observations(sequence: Play | Prompt) -> tuple[int, ...]:
    """Return the observations of a play or prompt in order."""
    return tuple(int(observation) for observation in checked_instance("sequence", sequence, tuple)[1::3])


def actions(sequence: Play | Prompt) -> tuple[int, ...]:
    """Return the actions of a play or prompt in order."""
    return tuple(int(action) for action in checked_instance("sequence", sequence, tuple)[2::3])


def split(play: Play) -> tuple[Prompt, int]:
    """Split a non-empty play into prompt and last action (Alexander 2022, Lemma 1)."""
    checked_instance("play", play, tuple)
    return play[:-1], int(play[-1])


def is_natural(value: object) -> bool:
    """Whether `value` is a natural number of type `int`."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_rational(value: object) -> bool:
    """Whether `value` is exact: an `int` or a `Fraction`."""
    return isinstance(value, int | Fraction) and not isinstance(value, bool)


def checked_play(sequence: Play) -> Play:
    """Return `sequence` if it is a play; otherwise raise SettingError."""
    if len(sequence) % 3:
        raise SettingError(f"got {len(sequence)} entries; a play has three a turn: reward, observation, action")
    checks = (is_rational, is_natural, is_natural)
    for place, entry in enumerate(sequence):
        if not checks[place % 3](entry):
            kind = ("reward, an int or Fraction", "observation, an int ≥ 0", "action, an int ≥ 0")[place % 3]
            raise SettingError(f"got {show_value(entry)} at place {place} of a play; expected a {kind}")
    return tuple(sequence)


def classic(environment: ClassicEnvironment) -> FormalEnvironment:
    """Turn a non-extended environment into an extended one that ignores the agent."""
    return lambda _agent, play: environment(play)


def turns(agent: FormalAgent, environment: FormalEnvironment) -> Iterator[tuple[Rational, int, int]]:
    """Yield reward, observation and action of every turn of the interaction, endlessly (Alexander 2022, Def. 3).

    Raises:
        PerceptError: the environment's reward is not exact, or its observation is not a natural number.
        AgentError: the agent's action is not a natural number.
    """
    play: Play = ()
    while True:
        reward, observation = checked_percept(environment(agent, play), len(play) // 3)
        action = agent((*play, reward, observation))
        if not is_natural(action):
            raise AgentError(
                f"turn {len(play) // 3}: got action {show_value(action)}; a formal agent returns an int ≥ 0"
            )
        yield reward, observation, action
        play = (*play, reward, observation, action)


def checked_percept(percept: FormalPercept, turn: int) -> FormalPercept:
    """Return `percept` if it is an exact reward with a natural observation, or raise `PerceptError`."""
    is_pair = isinstance(percept, tuple | list) and len(percept) == 2
    if not (is_pair and is_rational(percept[0]) and is_natural(percept[1])):
        wanted = "a reward, an int or Fraction, and an observation, an int ≥ 0"
        raise PerceptError(f"turn {turn}: got {show_value(percept)}; a formal environment returns {wanted}")
    return percept


def interact(agent: FormalAgent, environment: FormalEnvironment, steps: int) -> Play:
    """Return the first turns of the interaction, one for each step, as a play of length ``3·steps``.

    Raises:
        PerceptError: see `turns`.
        AgentError: see `turns`.
    """
    steps = whole("steps", steps, 0, LONGEST_HORIZON)
    return tuple(entry for turn in islice(turns(agent, environment), steps) for entry in turn)


def imagine(agent: FormalAgent, percepts: Iterable[FormalPercept]) -> Prompt:
    """Return the prompt of an agent that gets these percepts whatever it does, unchecked."""
    prompt: Prompt = ()
    for percept in percepts:
        prompt = (*prompt, agent(prompt), *percept) if prompt else percept
    return prompt


def lifted(fresh: Callable[[], Agent]) -> FormalAgent:
    """Make the formal agent of a practical one, which trains a fresh copy on the prompt's transitions and lets it act.

    The copy learns ``(oᵢ, aᵢ, rᵢ₊₁, oᵢ₊₁)`` turn by turn and is asked at the last observation (Alexander et al. 2021,
    section 4: the reward of a turn is for the action of the turn before). The first reward is for no action and is not
    learned. Rewards are converted to floats. If a copy was trained on the prompt up to the turn before, it is trained
    further instead of a fresh one.

    Args:
        fresh: makes untrained copies that act in the same way after the same training (Def. 9), such as
            ``lambda: QLearner(n_observations, n_actions, stream)``.
    """
    trained_on: dict[Prompt, Agent] = {}

    def trained(prompt: Prompt) -> Agent:
        if prompt in trained_on:
            return trained_on[prompt]
        before = trained_on.get(prompt[:-3])
        copy, first = (before.copy(), len(prompt) // 3 - 1) if before else (fresh(), 0)
        seen, paid, chosen = observations(prompt), rewards(prompt), actions(prompt)
        for turn in range(first, len(chosen)):
            copy.learn(seen[turn], chosen[turn], float(paid[turn + 1]), seen[turn + 1])
        if len(trained_on) == MOST_KNOWN:
            trained_on.clear()
        trained_on[prompt] = copy
        return copy

    return lambda prompt: int(trained(prompt).act(int(prompt[-1])))


def with_percepts(prompt: Prompt, change: Callable[[Rational, int], FormalPercept]) -> Prompt:
    """Apply `change` to every reward-observation pair of `prompt`."""
    changed: list[Any] = list(prompt)
    for place in range(0, len(prompt), 3):
        changed[place : place + 2] = change(prompt[place], int(prompt[place + 1]))
    return tuple(changed)


def prefixes(prompt: Prompt) -> list[tuple[Prompt, int]]:
    """List every shorter prompt at the start of `prompt`, each with the action that follows it."""
    return [(prompt[:place], int(prompt[place])) for place in range(2, len(prompt), 3)]


def reality_check(agent: FormalAgent) -> FormalAgent:
    """Return the reality check of `agent` by Definition 10: the past is compared with the reality check itself.

    The reality check acts as the agent does on every history that the agent could have produced. On all other
    histories it freezes: it repeats its first action.

    The recursion is the paper's. Answers are kept during one call; otherwise there would be ``2ⁿ`` of them.
    """

    def checked(prompt: Prompt) -> int:
        answers: dict[Prompt, int] = {}

        def answer(asked: Prompt) -> int:
            if asked not in answers:
                genuine = all(action == answer(earlier) for earlier, action in prefixes(asked))
                answers[asked] = agent(asked if genuine else asked[:2])
            return answers[asked]

        return answer(prompt)

    return checked


def reality_check_by_agent(agent: FormalAgent) -> FormalAgent:
    """Return the reality check of `agent` by Proposition 13, part 1: the past is compared with `agent`."""

    def checked(prompt: Prompt) -> int:
        genuine = all(action == agent(earlier) for earlier, action in prefixes(prompt))
        return agent(prompt if genuine else prompt[:2])

    return checked
