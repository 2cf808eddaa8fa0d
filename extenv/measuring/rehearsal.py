"""A rehearsal before the run: an agent's answers must be actions, and asking must not change it."""

from operator import index

from multislot.agents.deep import DeepAgent
from multislot.engine.agent import Agent
from multislot.engine.sharing import learner, state_of
from multislot.errors import ActionError, AgentError, SettingError, show_value

MOST_ASKED = 64
REHEARSED = 10


def check_agent(agent: Agent, n_observations: int, n_actions: int, may_change: bool = False) -> None:
    """Ask an agent what it would do, fresh and after a rehearsal; check its answers, and that asking changes nothing.

    Faults that show after more than `REHEARSED` turns are not found here.

    Args:
        agent: a fresh one that is not used afterwards; it learns made-up turns.
        n_observations: it is asked at the first `MOST_ASKED` of them.
        n_actions: its answers must lie below it.
        may_change: accept an agent that asking changes, or that draws again whenever it is asked.

    Raises:
        AgentError: asking changes it, and it does not say so with ``asking_changes_it = True``. A published reality
            check says so; the agent inside it is checked.

    An agent for which every question costs time or money (``asking_costs = True``) is not asked.
    """
    if not isinstance(agent, Agent):
        raise SettingError(f"the factory made a {type(agent).__name__}; it must return a multislot.Agent: subclass it")
    inside = learner(agent)
    if isinstance(inside, DeepAgent) and (inside.n_observations, inside.n_actions) != (n_observations, n_actions):
        raise SettingError(
            f"the agent's model is for {inside.n_observations} observations and {inside.n_actions} actions, the "
            f"environment has {n_observations} and {n_actions}; a trained model fits one environment: pass "
            "environments=[…]; for the whole battery use multislot.agents.PPO"
        )
    if getattr(inside, "asking_costs", False):
        return
    check_acting(agent, n_observations, n_actions, may_change)
    rehearse(agent, n_observations, n_actions)
    check_acting(agent, n_observations, n_actions, may_change)


def rehearse(agent: Agent, n_observations: int, n_actions: int) -> None:
    """Let an agent live some made-up turns with rewards of both signs; an invalid answer counts as action 0."""
    for turn in range(REHEARSED):
        observation, following = turn % n_observations, (turn + 1) % n_observations
        action = agent.act(observation)
        agent.learn(observation, action if is_index(action, n_actions) else 0, float(turn % 3 - 1), following)


def check_acting(agent: Agent, n_observations: int, n_actions: int, may_change: bool = False) -> None:
    """Ask an agent what it would do as it is now; raise ActionError or AgentError as `check_agent` does."""
    exempt = may_change or getattr(agent, "asking_changes_it", False)
    inside = getattr(agent, "agent", None)
    if exempt and isinstance(inside, Agent):
        check_acting(inside, n_observations, n_actions, may_change)
    before = None if exempt else state_of(agent)
    for observation in range(min(n_observations, MOST_ASKED)):
        first, again = agent.act(observation), agent.act(observation)
        check_action(first, n_actions, observation)
        if first != again and not exempt:
            raise changed(agent, observation)
    if before is not None and before != state_of(agent):
        raise changed(agent, 0)


def check_action(action: object, n_actions: int, observation: int) -> None:
    """Raise ActionError if `action` is not in ``range(n_actions)``."""
    if not is_index(action, n_actions):
        raise ActionError(
            f"act({observation}) returned {show_value(action)}", f"return one of range({n_actions})", 1, 0
        )


def is_index(value: object, n: int) -> bool:
    """Return whether `value` is a whole number in ``range(n)``."""
    try:
        return 0 <= index(value) < n  # type: ignore[arg-type]  # any object may be asked
    except TypeError:
        return False


def changed(agent: Agent, observation: int) -> AgentError:
    """Return the error of an agent that acting changes."""
    inside = getattr(agent, "agent", agent)
    return AgentError(
        f"{type(inside).__name__}.act({observation}) changes the agent, so a copy that is asked would not act as the "
        "original; let act() only read, and move what it changes into learn(). If it is meant to draw again whenever "
        "it is asked, set asking_changes_it = True in its class"
    )
