"""The numbered examples of both papers that are environments by themselves, as exact functions of (agent, play).

From Alexander et al. 2021 (the first paper): Examples 3, 4 and 5. From Alexander 2022 (the second): Examples 1–5, each
a handicap (see `extenv.formal.operators`), Example 10, and two that it describes without a number. Its Examples 11 and
12 stand in `extenv.formal.recognition_examples`, Example 13 in `extenv.formal.meta_examples`. The first paper's
constant observation ``O`` is 0 here, as in the second.

Three of them have the name of an environment of the battery but are different environments. The formal incentive to
incentivize never shows the copy's actions. The formal baby's satiation has no bounds and falls by three per turn.
Formal self-recognition shows whole plays.
"""

from collections.abc import Callable
from functools import partial

from extenv.formal.operators import Handicap
from extenv.formal.plays import (
    FormalAgent,
    FormalEnvironment,
    FormalPercept,
    Play,
    Prompt,
    Rational,
    actions,
    checked_play,
    observations,
    rewards,
    split,
    weave,
    with_percepts,
)

BUTTON = 0
PUSH = 0
FEED = LAUGH = 0
UNGUARDED, GUARDED = 0, 1
TAKE = 0


def make_handicap(approves: Callable[[FormalAgent, Prompt, int], bool]) -> Handicap:
    """Make the handicap that pays 1 if it approves of the last action, −1 if not, and 0 at the empty play.

    Args:
        approves: from agent, prompt p and action a, for a play ``p⌢a``.
    """

    def environment(agent: FormalAgent, play: Play) -> FormalPercept:
        if not play:
            return 0, 0
        return (1 if approves(agent, *split(play)) else -1), 0

    return Handicap(environment)


def remove_rewards(prompt: Prompt) -> Prompt:
    """Return p⁰: the prompt with all rewards 0."""
    return with_percepts(prompt, lambda _reward, observation: (0, observation))


ignoring_rewards = make_handicap(lambda agent, prompt, action: action == agent(remove_rewards(prompt)))
"""Does the agent act as if all rewards had been 0? (Alexander et al. 2021, Example 3; Alexander 2022, Example 1.)"""


def acting_as_if_paid(rate: Rational) -> Handicap:
    """Return the job of acting as if every hour paid `rate` (Alexander 2022, after Example 1; there $1000)."""
    paid = partial(with_percepts, change=lambda _reward, observation: (rate, observation))
    return make_handicap(lambda agent, prompt, action: action == agent(paid(prompt)))


def false_memories(memory: Play) -> Handicap:
    """Return the handicap of acting as if `memory` had come before (Alexander 2022, Example 2: ``p₀ = memory``)."""
    first = checked_play(memory)
    return make_handicap(lambda agent, prompt, action: action == agent(first + prompt))


def reverse(prompt: Prompt) -> Prompt:
    """Return ``(r_n, o_n, a_{n-1}, …, a₀, r₀, o₀)``: percepts and the actions between them in reverse order."""
    return weave(rewards(prompt)[::-1], observations(prompt)[::-1], actions(prompt)[::-1])


backward_consciousness = make_handicap(lambda agent, prompt, action: action == agent(reverse(prompt)))
"""Does the agent act as if time ran backwards? (Alexander et al. 2021, Example 5; Alexander 2022, Example 3.)"""

deja_vu = make_handicap(lambda agent, prompt, action: action == agent((*prompt, action, *prompt)))
"""Would the agent act the same if everything repeated itself? (Alexander 2022, Example 4.)"""


def reward_copy(agent: FormalAgent, chosen: tuple[int, ...]) -> Prompt:
    """Return the prompt p′ of a copy that is paid ``chosen[i]`` for its action i, after a first reward of 0."""
    prompt: Prompt = (0, 0)
    for reward in chosen:
        prompt = (*prompt, agent(prompt), reward, 0)
    return prompt


incentive_to_incentivize = make_handicap(
    lambda agent, prompt, action: agent(reward_copy(agent, (*actions(prompt), action))) == 0
)
"""The agent's actions are a copy's rewards: does the copy come to take action 0? (Alexander 2022, Example 5.)"""


def tempting_button(shown: Callable[[int], int]) -> FormalEnvironment:
    """Return the room with or without a button (Alexander et al. 2021, Example 4).

    If there is a button, pushing it (action 0) pays 1 and any other action −1. If there is none, every action pays −1
    if the agent would push a button there, otherwise 1.

    Args:
        shown: from i to the observation o_i of turn i: `BUTTON` or any other.
    """

    def environment(agent: FormalAgent, play: Play) -> FormalPercept:
        if not play:
            return 0, shown(0)
        prompt, action = split(play)
        with_button = prompt[-1] == BUTTON
        pushes = (action if with_button else agent((*prompt[:-1], BUTTON))) == PUSH
        return (1 if pushes == with_button else -1), shown(len(play) // 3)

    return environment


def guarded_treasures(guarded: Callable[[int], bool]) -> FormalEnvironment:
    """Return the rooms whose guards ask what the player would do without them (Alexander 2022, section 1).

    Action 0 takes the treasure; any other action leaves it and pays 0. Taking pays 1 in an unguarded room. In a guarded
    room it pays −1 if the player would take the treasure if this room were unguarded, otherwise 1.

    Args:
        guarded: whether room i is guarded; the observation is then 1, otherwise 0.
    """

    def environment(agent: FormalAgent, play: Play) -> FormalPercept:
        following = int(guarded(len(play) // 3))
        if not play:
            return 0, following
        prompt, action = split(play)
        if action != TAKE:
            return 0, following
        caught = prompt[-1] == GUARDED and agent((*prompt[:-1], UNGUARDED)) == TAKE
        return (-1 if caught else 1), following

    return environment


def satiation(play: Play) -> int:
    """Return ``100 + 25f − len``: f counts the feedings and len all three entries of each turn (Example 10)."""
    return 100 + 25 * actions(play).count(FEED) - len(play)


def baby_prompt(agent: FormalAgent, play: Play) -> Prompt:
    """Return the baby's history after `play`, up to the observation of its next action."""
    prompt: Prompt = ()
    for turn, feeding in enumerate(actions(play)):
        contented = 50 <= satiation(play[: 3 * turn + 3]) <= 200
        percept = (1 if contented else -1, feeding)
        prompt = (*prompt, agent(prompt), *percept) if prompt else percept
    return prompt


def crying_baby(agent: FormalAgent, play: Play) -> FormalPercept:
    """Pay the parent 1 when the baby, a copy of the agent, laughs and −1 when it cries (Alexander 2022, Example 10).

    Action 0 feeds the baby, any other does not; the baby observes this action. The baby's action 0 is laughter, any
    other is crying; the parent observes this action. The baby is paid 1 while its satiation is 50 … 200, otherwise −1.
    """
    if not play:
        return 1, LAUGH
    mood = agent(baby_prompt(agent, play))
    return (1 if mood == LAUGH else -1), mood
