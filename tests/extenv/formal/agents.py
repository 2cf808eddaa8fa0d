"""Formal agents and plays for the tests: arbitrary functions of prompts, and Hypothesis strategies for them."""

from fractions import Fraction
from zlib import crc32

from hypothesis import strategies as st

from extenv.formal import FormalAgent, FormalEnvironment, Play, Prompt

N_ACTIONS = 3

rationals = st.fractions(max_denominator=7, min_value=-5, max_value=5)
small_actions = st.integers(0, N_ACTIONS - 1)
turn_entries = st.tuples(st.sampled_from([0, 1, -1, Fraction(1, 2)]), st.integers(0, 2), small_actions)


def arbitrary(seed: int) -> FormalAgent:
    """Return an agent whose actions follow no rule: a checksum of seed and prompt."""
    return lambda prompt: crc32(repr((seed, exactly(prompt))).encode()) % N_ACTIONS


def arbitrary_environment(seed: int) -> FormalEnvironment:
    """Return an extended environment without a rule, which asks the agent about the play with one more percept."""

    def environment(agent: FormalAgent, play: Play) -> tuple[Fraction, int]:
        hypothetical = agent((*play, 0, 1))
        checksum = crc32(repr((seed, exactly(play), hypothetical)).encode())
        return Fraction(checksum % 5 - 2, 2), checksum // 5 % 3

    return environment


def exactly(sequence: Play | Prompt) -> tuple[str, ...]:
    """Return a form in which equal numbers look equal."""
    return tuple(str(entry) for entry in sequence)


agents = st.integers(0, 2**32).map(arbitrary)
environments = st.integers(0, 2**32).map(arbitrary_environment)
plays = st.lists(turn_entries, max_size=5).map(lambda listed: tuple(entry for turn in listed for entry in turn))
nonempty_plays = st.lists(turn_entries, min_size=1, max_size=5).map(
    lambda listed: tuple(entry for turn in listed for entry in turn)
)
prompts = st.tuples(plays, turn_entries).map(lambda parts: parts[0] + parts[1][:2])
