"""Validates what passes between an agent and an environment, before the run and during it.

Before the run an agent rehearses: its answers must be actions, and asking must not change it. During the run the
compiled loop trusts both sides. So what a user wrote, an agent or an environment, runs in a loop that validates every
answer. Tests hold this project's own to the contract: they run in the compiled loop, and the measure costs nothing
extra.
"""

from math import isfinite
from operator import index
from typing import Any

from extenv.checked_agent import RealityCheckedAgent
from extenv.environment import AGENT_SLOT, ExtendedEnvironment
from multislot.agents.deep import DeepAgent
from multislot.engine.agent import Agent
from multislot.engine.sharing import find_learner, pickle_state
from multislot.engine.turn import convert_reward
from multislot.errors import (
    AgentError,
    SettingError,
    TurnError,
    bad_action,
    bad_observation,
    bad_reward,
    show_value,
)

MOST_ASKED = 64
REHEARSED = 10
TRUSTED = ("extenv.catalogue.", "extenv.checked_agent", "multislot.agents.tabular", "multislot.agents.deep")


def is_index(value: object, n: int) -> bool:
    """Whether `value` is a whole number in ``range(n)``."""
    try:
        return 0 <= index(value) < n  # type: ignore[arg-type]  # any object may be asked
    except TypeError:
        return False


def checked_action(action: object, n_actions: int, step: int) -> int:
    """An action as an int; ActionError if it is not in ``range(n_actions)``."""
    if not is_index(action, n_actions):
        raise bad_action(action, n_actions, AGENT_SLOT, step)
    return index(action)  # type: ignore[arg-type]  # it is an index


def ask(agent: Agent, observation: int, n_actions: int, step: int) -> int:
    """Return the checked action of `agent`.

    If the agent inside a compiled reality check returns no int, the error does not name it. So it is asked once more.
    """
    try:
        return checked_action(agent.act(observation), n_actions, step)
    except TypeError:
        if isinstance(agent, RealityCheckedAgent):
            checked_action(agent.agent.act(observation), n_actions, step)
        raise


def checked_turn(turn: Any, n_observations: int, step: int) -> tuple[float, int]:
    """A finite reward and an observation below `n_observations`, as float and int."""
    if not isinstance(turn, tuple) or len(turn) != 2:
        raise TurnError(f"step(action) returned {show_value(turn)}", "return (reward, observation)", AGENT_SLOT, step)
    reward, observation = turn
    number = convert_reward(reward, AGENT_SLOT, step)
    if not isfinite(number):
        raise bad_reward(reward, AGENT_SLOT, step)
    if not is_index(observation, n_observations):
        raise bad_observation(observation, n_observations, AGENT_SLOT, step)
    return number, index(observation)


def play_validated(
    environment: ExtendedEnvironment, agent: Agent, observation: int, n_actions: int, steps: int, opposite: bool
) -> float:
    """`extenv.environment.play` in Python: actions are validated, and the rewards and observations of users' worlds."""
    n_observations, total = int(environment.n_observations), 0.0
    is_ours = are_trusted(environment)
    for step in range(1, steps + 1):
        action = ask(agent, observation, n_actions, step)
        turn = environment.step(action)
        reward, following = turn if is_ours else checked_turn(turn, n_observations, step)
        if opposite:
            reward = 0.0 - reward
        agent.learn(observation, action, reward, following)
        total += reward
        observation = following
    return total


def are_trusted(*parts: ExtendedEnvironment | Agent) -> bool:
    """Whether environments, agents and the agents inside them are of this project's compiled classes."""
    inside = (getattr(part, "agent", part) for part in parts)
    return all(type(part).__module__.startswith(TRUSTED) for part in (*parts, *inside))


def check_agent(agent: Agent, n_observations: int, n_actions: int, may_change: bool = False) -> None:
    """Ask an agent what it would do, fresh and after a rehearsal; check its answers, and that asking changes nothing.

    Faults that show after more than `REHEARSED` turns are not found here. An agent for which every question costs time
    or money (``asking_costs = True``) is not asked.

    Args:
        agent: a fresh one that is not used afterwards; it learns made-up turns.
        n_observations: it is asked at the first `MOST_ASKED` of them.
        n_actions: its answers must lie below it.
        may_change: accept an agent that asking changes, or that draws again whenever it is asked.

    Raises:
        ActionError: an answer is not an action.
        AgentError: asking changes it, and it does not say so with ``asking_changes_it = True``. A published reality
            check says so; the agent inside it is checked.
    """
    if not isinstance(agent, Agent):
        raise SettingError(
            f"the factory made an object of class {type(agent).__name__}; expected a multislot.Agent: subclass it"
        )
    inside = find_learner(agent)
    if isinstance(inside, DeepAgent) and (inside.n_observations, inside.n_actions) != (n_observations, n_actions):
        raise SettingError(
            f"the agent's model is for {inside.n_observations} observations and {inside.n_actions} actions, the "
            f"environment has {n_observations} and {n_actions}; a trained model fits one environment: pass "
            "environments=[…]; for the whole battery use multislot.agents.PPO"
        )
    if getattr(inside, "asking_costs", False):
        return
    check_acting(agent, n_observations, n_actions, may_change)
    for turn in range(REHEARSED):
        observation, following = turn % n_observations, (turn + 1) % n_observations
        action = agent.act(observation)
        # An answer that is invalid on a made-up turn may be valid on all turns of the run, where it is validated.
        agent.learn(observation, action if is_index(action, n_actions) else 0, float(turn % 3 - 1), following)
    check_acting(agent, n_observations, n_actions, may_change)


def check_acting(agent: Agent, n_observations: int, n_actions: int, may_change: bool) -> None:
    """Ask an agent what it would do as it is now; raises as `check_agent` does."""
    exempt = may_change or getattr(agent, "asking_changes_it", False)
    inside = getattr(agent, "agent", None)
    if isinstance(inside, Agent) and (exempt or isinstance(agent, RealityCheckedAgent)):
        check_acting(inside, n_observations, n_actions, may_change or not exempt)
    before = None if exempt else pickle_state(agent)
    changed_at = []
    for observation in range(min(n_observations, MOST_ASKED)):
        first, again = (checked_action(agent.act(observation), n_actions, 0) for _ in range(2))
        if first != again:
            changed_at.append(observation)
    if not exempt and (changed_at or (before is not None and before != pickle_state(agent))):
        name = type(getattr(agent, "agent", agent)).__name__
        raise AgentError(
            f"{name}.act({changed_at[0] if changed_at else 0}) changes the agent, so a copy that is asked would not "
            "act as the original; let act() only read, and move what it changes into learn(). If it is meant to draw "
            "again whenever it is asked, set asking_changes_it = True in its class"
        )
