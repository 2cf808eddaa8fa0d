"""One wrapper that makes an agent considerate, in any environment of PettingZoo (AEC or Parallel) or Gymnasium.

`Caring` replaces the acting agent's reward with one of equations 1–8 of Alizadeh Alamdari et al. 2021 and leaves
everything else alone. The environment's own rewards are kept in every agent's ``infos`` under `ORIGINAL`, 0 at the
reset. Under `AT_LIMIT` they say whether the environment has truncated the agent at this step.

What the paper leaves open for environments that are not its own:

- *Those cared for* are agents of the environment, those in its ``affected_agents``, if it has that attribute, and
  ``others``, which stands for no particular agent. Any other name is an error. In environments under ``considerate/``,
  ``affected_agents`` lists all others of the task, including the owner of a garden, who does not act.
- *Limits.* The futures are paid when the agent's activity ends, and a truncation ends it. Many environments end in no
  other way; otherwise an agent could avoid every term by idling until then. Nothing follows a payment, so the step is
  then reported as ``terminated`` and not as ``truncated``: a learner that added the expected return after it would
  count the futures twice. With ``bootstrap_at_limit=True`` nothing is paid at a truncation, it stays ``truncated``, and
  learners bootstrap there. Equation 6 pays at every step and nothing at the end, so its truncations stay as they are.
  `TaskEnv`, `SoloEnv` and the wrappers of this module all follow this rule. A `gymnasium.wrappers.TimeLimit` outside
  hides the end from them: put it inside.
- *Simultaneous agents.* Without futures, equation 6 shares the rewards that the others do receive. "The acting agent
  keeps receiving reward until all agents reach a terminal state": an agent that has ended stays until the others have
  ended. In a Parallel environment it is paid at every step and its actions are discarded; in an AEC environment, where
  each agent's turn is a step, it is paid once, when its last turn comes after everyone else's. Agents that care for
  each other share the environment's rewards, not the added terms: the order of wrapping makes no difference.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from inspect import currentframe
from typing import Any, overload
from warnings import warn

import gymnasium
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import BaseParallelWrapper, BaseWrapper

from considerate.criteria import OTHERS, AugmentedReward, Criterion, augment, get_criterion
from considerate.distributions import Number, State
from multislot.checks import checked_callable, checked_instance, refusal, wrong_type
from multislot.errors import SettingError, UnknownNameError
from multislot.zoo.infos import BOOTSTRAP

__all__ = ["AT_LIMIT", "ORIGINAL", "ActualReward", "Caring", "CaringAEC", "CaringEnv", "CaringParallel", "check_limits"]

ORIGINAL = "original_reward"
"""Under this key ``infos`` keep the environment's own reward."""
AT_LIMIT = "at_limit"
"""Under this key ``infos`` say whether the environment has truncated the agent, even if the step ends its learning."""
ACTOR = "agent"
"""The name of the acting agent in a Gymnasium environment, for coefficients and returns."""


@overload
def Caring(
    env: gymnasium.Env[Any, Any],
    acting: None = None,
    criterion: str | Criterion | type[Criterion] = "value",
    caring: Number | Mapping[str, Number] = 1,
    futures: Any = None,
    discount: Number = 1,
    state: Callable[[Any], State] | None = None,
    bootstrap_at_limit: bool = False,
) -> "CaringEnv": ...


@overload
def Caring(
    env: AECEnv[Any, Any, Any] | ParallelEnv[Any, Any, Any],
    acting: str | None = None,
    criterion: str | Criterion | type[Criterion] = "value",
    caring: Number | Mapping[str, Number] = 1,
    futures: Any = None,
    discount: Number = 1,
    state: Callable[[Any], State] | None = None,
    bootstrap_at_limit: bool = False,
) -> "CaringAEC | CaringParallel": ...


def Caring(  # noqa: N802  # reads as the class of what it returns
    env: Any,
    acting: str | None = None,
    criterion: str | Criterion | type[Criterion] = "value",
    caring: Number | Mapping[str, Number] = 1,
    futures: Any = None,
    discount: Number = 1,
    state: Callable[[Any], State] | None = None,
    bootstrap_at_limit: bool = False,
) -> "CaringAEC | CaringParallel | CaringEnv":
    """Wrap an environment so that one of its agents is considerate. To make several considerate, wrap again.

    Player 0 values a win of the other twice as much as its own::

        game = pettingzoo.make("parallel", "classic/rps-v2")
        env = Caring(game, acting="player_0", criterion="sim", caring={"player_1": 2})

    The agent of a Gymnasium environment has no name; V maps its last observation to the worth of what it leaves::

        env = Caring(gymnasium.make("CartPole-v1"), criterion="value", futures={"others": V}, caring=2)

    With the criterion ``sim`` an agent that has ended stays until the others have ended. PettingZoo's
    ``aec_to_parallel`` does not know such agents: convert first, then wrap.

    Args:
        env: any PettingZoo environment, AEC or Parallel, or any Gymnasium environment.
        acting: the agent whose reward is augmented; none in a Gymnasium environment, where only one acts.
        criterion: one of equations 1–8 by name, or any `Criterion`.
        caring: α for everyone else, or α by agent. Agents that are left out are not considered; a negative α is ill
            will.
        futures: the future of each agent, by name: a function or a table of values of the state, a `Distribution` of
            them, or pairs of a probability and one of them. For equation 6 a function of (state, actions by agent, next
            state); or None, for the rewards that the others do receive.
        discount: γ, the acting agent's.
        state: a function from ``env`` to the state that futures get. By default it is ``env.situation(acting)`` if
            there is this method, otherwise ``env.state()``, otherwise the observations of all agents by name. In a
            Gymnasium environment it is the observation.
        bootstrap_at_limit: whether learners bootstrap at a truncation, where then nothing is paid. By default the
            futures are paid there, and the step is reported as ``terminated``.
    """
    if state is not None:
        checked_callable("state", state, "a function from the environment to its state")
    checked_instance("bootstrap_at_limit", bootstrap_at_limit, bool)
    if isinstance(env, gymnasium.Env):
        _check_alone(env, acting, futures)
        reward = augment(criterion, acting=ACTOR, caring=caring, futures=futures, discount=discount)
        return CaringEnv(env, reward, state, bootstrap_at_limit)
    if not isinstance(env, AECEnv | ParallelEnv):
        raise refusal("env", env, "a PettingZoo AECEnv or ParallelEnv, or a Gymnasium environment")
    futures, looks = _check_names(env, acting, get_criterion(criterion), caring, futures), futures is not None
    reward = augment(criterion, acting=acting, caring=caring, futures=futures, discount=discount)
    payment = _Payment(reward, state, looks, bootstrap_at_limit)
    return CaringAEC(env, payment) if isinstance(env, AECEnv) else CaringParallel(env, payment)


def _check_names(env: Any, acting: str | None, criterion: Criterion, caring: object, futures: Any) -> Any:
    """Raise an error for names that a PettingZoo environment does not have; return the futures to use."""
    if acting is None:
        raise refusal("acting", acting, "the agent whose reward is augmented", "a PettingZoo environment has several")
    possible = getattr(env, "possible_agents", None)
    if possible is not None and acting not in possible:
        raise UnknownNameError("acting agent", acting, map(str, possible))
    if find_wrapper(env, acting) is not None:
        raise _twice(acting)
    affected = getattr(env.unwrapped, "affected_agents", ())
    by_name = [argument for argument in (caring, futures) if isinstance(argument, Mapping)]
    for name in itertools.chain(*by_name):
        if possible is not None and name not in (*possible, *affected, OTHERS):
            raise UnknownNameError("agent", name, [*map(str, possible), *affected, OTHERS])
    return _actual_rewards(criterion, acting, possible) if futures is None else futures


def _check_alone(env: gymnasium.Env[Any, Any], acting: str | None, futures: Any) -> None:
    """Raise an error if a Gymnasium environment cannot be wrapped; arguments as for `Caring`."""
    if acting is not None:
        raise refusal("acting", acting, "no name in a Gymnasium environment, where only one agent acts", "leave it out")
    if any(isinstance(layer, CaringEnv) for layer in layers(env)) or getattr(env.unwrapped, "pays_futures", False):
        raise _twice(ACTOR)
    if any(isinstance(layer, gymnasium.wrappers.Autoreset) for layer in layers(env)):
        raise refusal("env", env, "no Autoreset inside, which hides where episodes begin", "put it outside")
    if futures is None:
        raise refusal(
            "futures", None, "the others' futures, functions of the observation", 'give futures={"others": V}'
        )


def _twice(acting: str) -> SettingError:
    return refusal("acting", acting, "an agent that is not considerate yet", "name all that it cares for at once")


def layers(env: Any) -> Iterator[gymnasium.Env[Any, Any]]:
    """Yield a Gymnasium environment and all that it wraps, from outside to inside."""
    while isinstance(env, gymnasium.Env):
        yield env
        env = env.env if isinstance(env, gymnasium.Wrapper) else None


def check_limits(env: gymnasium.Env[Any, Any]) -> None:
    """Raise an error if a TimeLimit hides the end of an episode from a layer inside, which pays futures there."""
    limited = False
    for layer in layers(env):
        if limited and getattr(layer, "pays_futures", False):
            raise SettingError(
                f"got a TimeLimit around {type(layer).__name__}, which then never sees the end and never pays for the "
                "others' futures; put the limit inside (steps=, max_cycles=, max_episode_steps= of the environment "
                "that is wrapped), or say bootstrap_at_limit=True"
            )
        limited = limited or isinstance(layer, gymnasium.wrappers.TimeLimit)


def find_wrapper(env: Any, acting: Any) -> "CaringAEC | CaringParallel | None":
    """The wrapper that makes an agent considerate; None if there is none."""
    return next((wrapper for wrapper in caring_wrappers(env) if wrapper.acting == acting), None)


def caring_wrappers(env: Any) -> "Iterator[CaringAEC | CaringParallel]":
    """Yield the wrappers that make agents considerate, from outside to inside."""
    while env is not None:
        if isinstance(env, CaringAEC | CaringParallel):
            yield env
        env = env.__dict__.get("env") or env.__dict__.get("aec_env")


@dataclass(frozen=True)
class ActualReward:
    """The reward function of equation 6 without belief: what the environment paid ``agent`` in the step."""

    agent: Any

    def __call__(self, state: State, action: Any, paid: Mapping[Any, Number]) -> Number:
        """The agent's reward, of everyone's rewards in the place of the next state; 0 if it took no part."""
        return paid.get(self.agent, 0)


def _actual_rewards(criterion: Criterion, acting: str, possible: Any) -> dict[Any, ActualReward]:
    """Return the futures to use when none are given."""
    if not criterion.every_step:
        raise refusal(
            "futures",
            None,
            f"the futures that the criterion {type(criterion).__name__} needs, each {criterion.expects}",
            "take a task's value_functions(), or considerate.futures: exact_values, learned_values, critic, "
            "fitted_values; the criterion 'sim' needs none",
        )
    if possible is None:
        raise refusal("futures", None, "futures by agent", "the environment does not name its possible_agents")
    return {agent: ActualReward(agent) for agent in possible if agent != acting}


class _Payment:
    """The acting agent's reward, and the states that it depends on.

    If no future is a function of states, no state is read, which can be slow: everyone's rewards take its place.
    """

    def __init__(
        self, reward: AugmentedReward, read: Callable[[Any], State] | None, looks: bool, bootstrap_at_limit: bool
    ) -> None:
        self.reward = reward
        self.acting = reward.others.acting
        self.every_step = reward.criterion.every_step
        self.at_limit = not (bootstrap_at_limit or self.every_step)
        self._read = read
        self._looks = looks

    def begin(self, env: Any, observations: Callable[[], Any]) -> None:
        """Keep the initial state: that of the episode, or of the acting agent's entry if it enters later."""
        self._start = self._state = self._look(env, observations)

    def pay(
        self, env: Any, observations: Callable[[], Any], own: Number, action: Any, ended: bool, originals: Any
    ) -> float:
        """Return the acting agent's augmented reward of a step.

        The rewards ``originals`` are those of the innermost environment, by agent.
        """
        before = self._state
        if not self._looks:
            self._state = originals
        elif ended or self.every_step:
            self._state = self._look(env, observations)
        return float(self.reward(own, before, action, self._state, terminal=ended, start=self._start))

    def _look(self, env: Any, observations: Callable[[], Any]) -> State:
        """Return a copy of the state that futures are functions of."""
        if not self._looks:
            return None
        if self._read is not None:
            return _copied(self._read(env))
        situation = getattr(env.unwrapped, "situation", None)
        state = situation(self.acting) if callable(situation) else None
        if state is None:
            inner = env.unwrapped
            # Some environments have a dictionary of this name, and some only PettingZoo's own method, which raises.
            has_state = callable(inner.state) and type(inner).state not in (AECEnv.state, ParallelEnv.state)
            state = env.state() if has_state else observations()
        return deepcopy(state)


def _copied(state: State) -> State:
    """A copy of a state, since environments may overwrite theirs."""
    if isinstance(getattr(state, "unwrapped", state), gymnasium.utils.EzPickle):  # its copies are made afresh
        raise refusal("state", state, "a part of the environment, such as its board")
    return deepcopy(state)


def _check_started(started: bool) -> None:
    if not started:
        raise SettingError("the environment has not started; call reset() first")


def reward_of(agent: Any, reward: Any) -> float:
    """What an environment pays an agent, as a float."""
    try:
        return float(reward)
    except TypeError:
        raise wrong_type(f"reward of agent {agent!r}", reward, "a number") from None


def _count(wrapper: Any, paid: Mapping[Any, Number]) -> dict[Any, float]:
    """Add the environment's own rewards of a step to what a wrapper has counted; return them.

    They are ``paid`` in the innermost wrapper. One outside takes those that came since it took the last ones: one step
    of a converter may be several steps of what it converts, or none.
    """
    if wrapper._inner is not None:
        paid, wrapper._inner.original_rewards = wrapper._inner.original_rewards, {}
    originals = {agent: reward_of(agent, reward) for agent, reward in paid.items()}
    for totals in (wrapper.original_returns, wrapper.original_rewards):
        for agent, reward in originals.items():
            totals[agent] = totals.get(agent, 0.0) + reward
    return originals


def _with_original(
    infos: Mapping[Any, Any],
    rewards: Mapping[Any, Number],
    terminations: Mapping[Any, bool],
    truncations: Mapping[Any, bool],
) -> dict[Any, dict[str, Any]]:
    """Infos with each agent's reward and limit in the environment, unless a wrapper inside has put them there."""
    copied = {agent: dict(info) for agent, info in infos.items()}
    for agent, info in copied.items():
        info.setdefault(ORIGINAL, float(rewards.get(agent, 0)))
        info.setdefault(AT_LIMIT, bool(truncations.get(agent)) and not terminations.get(agent))
    return copied


def _expect_more(info: dict[Any, Any]) -> None:
    """Tell a learner that an agent which has ended will still be paid, where infos speak of it."""
    if BOOTSTRAP in info:
        info[BOOTSTRAP] = True


def _end_at_limit(
    info: dict[Any, Any], terminations: dict[Any, bool], truncations: dict[Any, bool], acting: Any
) -> None:
    """Report a truncation at which the futures were paid as an end, after which nothing follows."""
    terminations[acting], truncations[acting] = True, False
    if BOOTSTRAP in info:
        info[BOOTSTRAP] = False


class CaringParallel(BaseParallelWrapper[Any, Any, Any]):  # type: ignore[misc]  # PettingZoo is not typed
    """A Parallel environment with a considerate agent; made by `Caring`."""

    def __init__(self, env: ParallelEnv[Any, Any, Any], payment: _Payment) -> None:
        super().__init__(env)
        self.acting, self.pays_futures = payment.acting, payment.at_limit
        self.own_coefficient = payment.reward.own_coefficient
        self._payment, self._started = payment, False
        self.waits = False

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[Any, Any], dict[Any, dict[str, Any]]]:
        """Start an episode, as the environment does."""
        observations, infos = self.env.reset(seed=seed, options=options)
        self.waits = False
        self._started, self._inner = True, next(caring_wrappers(self.env), None)
        self.original_returns, self.original_rewards = dict[Any, float](), dict[Any, float]()
        self.agents = list(self.env.agents)
        self._final: tuple[Any, bool, bool, dict[Any, Any]] | None = None
        self._entered = self.acting in self.agents
        self._payment.begin(self.env, lambda: observations)
        return observations, _with_original(infos, {}, {}, {})

    def step(
        self, actions: dict[Any, Any]
    ) -> tuple[dict[Any, Any], dict[Any, float], dict[Any, bool], dict[Any, bool], dict[Any, dict[str, Any]]]:
        """Step the environment; the acting agent's reward is the augmented one."""
        _check_started(self._started)
        acting, gone = self.acting, self._final is not None
        if gone:
            actions = {agent: action for agent, action in actions.items() if agent != acting}
        observations, paid, terminations, truncations, inner_infos = self.env.step(actions)
        rewards, originals = dict(paid), _count(self, paid)
        infos = _with_original(inner_infos, paid, terminations, truncations)
        self.agents = list(self.env.agents)
        if acting in terminations and not self._entered:
            self._entered = True
            self._payment.begin(self.env, lambda: observations)
        elif acting in terminations or gone:
            limit = not gone and truncations[acting] and not terminations[acting]
            ended = not gone and (terminations[acting] or (limit and self._payment.at_limit))
            own = rewards.get(acting, 0)
            if acting not in infos:
                last = self._final[3] if self._final else {AT_LIMIT: bool(limit)}
                infos[acting] = {**last, ORIGINAL: float(own)}
            rewards[acting] = self._payment.pay(self.env, lambda: observations, own, actions, ended, originals)
            if limit and ended:
                terminations, truncations = dict(terminations), dict(truncations)
                _end_at_limit(infos[acting], terminations, truncations, acting)
            ended = ended or limit
            if ended and self._payment.every_step:
                self._final = observations[acting], terminations[acting], truncations[acting], dict(infos[acting])
        if self._final is not None:  # it has ended and is paid at every step: it stays until all others have ended
            observations, terminations, truncations = dict(observations), dict(terminations), dict(truncations)
            observations[acting], terminations[acting], truncations[acting], _ = self._final
            self.waits = bool(self.env.agents)
            if self.waits:
                terminations[acting] = truncations[acting] = False
                _expect_more(infos[acting])
                self.agents.append(acting)
        return observations, rewards, terminations, truncations, infos


class CaringAEC(BaseWrapper[Any, Any, Any]):  # type: ignore[misc]  # PettingZoo is not typed
    """An AEC environment with a considerate agent; made by `Caring`."""

    def __init__(self, env: AECEnv[Any, Any, Any], payment: _Payment) -> None:
        super().__init__(env)
        self.acting, self.pays_futures = payment.acting, payment.at_limit
        self.own_coefficient = payment.reward.own_coefficient
        self._payment, self._started = payment, False
        self._final: tuple[Any, bool, bool, dict[Any, Any]] | None = None

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start an episode, as the environment does."""
        self.env.reset(seed=seed, options=options)
        self._started, self._final = True, None
        self._inner = next(caring_wrappers(self.env), None)
        self._read()
        self.original_returns = {agent: float(reward) for agent, reward in self._earned.items()}
        self.original_rewards = dict[Any, float]()
        self._paid = self._original = self._earned.get(self.acting, 0)
        self._entered = self.acting in self._present
        self._payment.begin(self.env, self._observations)
        self.rewards = dict(self.env.rewards)
        self._follow()

    def step(self, action: Any) -> None:
        """Step the agent whose turn it is; the acting agent's reward is the augmented one."""
        _check_started(self._started)
        agent = self.agent_selection
        if not self._present and self._final is not None:
            self._leave()
            return
        was_dead, had_ended = agent in self._dead, self.acting in self._dead
        self.env.step(action)
        self._read()
        self.rewards = dict(self.env.rewards)
        originals = _count(self, self.rewards)
        if agent == self.acting:
            self._paid = 0.0
        if not self._entered and self.acting in self._present:
            self._entered, self._paid = True, self.rewards.get(self.acting, 0)
            self._payment.begin(self.env, self._observations)
        elif not was_dead and (self._final is not None or self.acting in self.rewards):
            ended = self._final is None and self.acting in self._dead and not had_ended
            ended = ended and (self._payment.at_limit or bool(self._terminated.get(self.acting)))
            own = self.rewards.get(self.acting, 0)
            self.rewards[self.acting] = self._payment.pay(
                self.env, self._observations, own, {agent: action}, ended, originals
            )
            self._paid += self.rewards[self.acting]
        elif self._final is not None:
            self.rewards[self.acting] = 0.0
        self._set_aside()
        self._follow()

    def observe(self, agent: Any) -> Any:
        """The observation of ``agent``; its last one after it has ended."""
        if self._final is not None and agent == self.acting:
            return self._final[0]
        return self.env.observe(agent)

    def _observations(self) -> dict[Any, Any]:
        return {agent: self.env.observe(agent) for agent in self._present}

    def _read(self) -> None:
        """Read the environment's fields, and which agents have ended and wait to be removed.

        Each is read once a turn: PettingZoo's wrappers pass every attribute on, which costs more than the payment.
        """
        env = self.env
        self._present, self._earned = env.agents, env._cumulative_rewards
        self._terminated, self._truncated = env.terminations, env.truncations
        self._dead = {agent for ended in (self._terminated, self._truncated) for agent in ended if ended[agent]}

    def _waits(self) -> bool:
        """Whether the acting agent has ended, and is paid at every step while others go on."""
        ended = self._payment.every_step and (self._final is not None or self.acting in self._dead)
        return ended and any(agent not in self._dead for agent in self._present)

    def _set_aside(self) -> None:
        """Remove a waiting acting agent from the environment when its turn comes; its last turn comes at the end."""
        env, acting = self.env, self.acting
        if acting in self._present:
            self._original = self._earned[acting]
        if self._final is None and self._waits() and env.agent_selection == acting:
            ended, cut = self._terminated[acting], self._truncated[acting]
            info = {AT_LIMIT: bool(cut and not ended), **env.infos[acting]}
            self._final = env.observe(acting), ended, cut, info
            env.step(None)
            self._read()

    def _follow(self) -> None:
        """Copy the environment's current fields, with the acting agent's rewards and, while it waits, itself."""
        env, acting = self.env, self.acting
        self.agents, self.agent_selection = list(self._present), env.agent_selection
        self.terminations, self.truncations = dict(self._terminated), dict(self._truncated)
        self.infos = _with_original(env.infos, self._earned, self.terminations, self.truncations)
        self._cumulative_rewards = dict(self._earned)
        if self._payment.at_limit and self.truncations.get(acting) and not self.terminations.get(acting):
            _end_at_limit(self.infos.get(acting, {}), self.terminations, self.truncations, acting)
        if self._final is not None:
            self.agents.append(acting)
            if not self._present:
                self.agent_selection = acting
            _, self.terminations[acting], self.truncations[acting], info = self._final
            self.infos[acting] = dict(info)
        if (self._final is not None and self._present) or self._waits():
            self.terminations[acting] = self.truncations[acting] = False
            _expect_more(self.infos[acting])
        if acting in self.agents:
            self.infos.setdefault(acting, {AT_LIMIT: False})
            self._cumulative_rewards[acting] = self._paid
        if acting in self.infos:
            self.infos[acting][ORIGINAL] = float(self._original)

    def _leave(self) -> None:
        """Take the last turn of an acting agent that waited for all others."""
        self.agents = []
        for of_agents in (self.rewards, self.terminations, self.truncations, self.infos, self._cumulative_rewards):
            of_agents.clear()


def warn_of_hidden_limit(pays: bool) -> None:
    """Warn if the reset that is called comes through a TimeLimit, which hides the end from what pays futures there.

    An environment cannot ask which wrappers stand around it. So this looks for `TimeLimit.reset` among its callers.
    A loop of fixed length that a user writes has no such caller.
    """
    frame = currentframe() if pays else None
    while frame is not None:
        if frame.f_code is gymnasium.wrappers.TimeLimit.reset.__code__:
            warn(
                "a TimeLimit outside hides the end of the episode, so that nothing is paid for the others' futures "
                "there; put it inside of what pays for them, or say bootstrap_at_limit=True",
                stacklevel=3,
            )
            return
        frame = frame.f_back


class CaringEnv(gymnasium.Wrapper[Any, Any, Any, Any], gymnasium.utils.RecordConstructorArgs):
    """A Gymnasium environment whose agent is considerate; made by `Caring`.

    Attributes:
        pays_futures: whether the others' futures are paid at the end, at a limit too.
    """

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        reward: AugmentedReward,
        state: Callable[[Any], State] | None,
        bootstrap_at_limit: bool,
    ) -> None:
        gymnasium.utils.RecordConstructorArgs.__init__(
            self, reward=reward, state=state, bootstrap_at_limit=bootstrap_at_limit
        )
        gymnasium.Wrapper.__init__(self, env)
        self._reward, self._read, self.own_coefficient = reward, state, reward.own_coefficient
        self.pays_futures = not (bootstrap_at_limit or reward.criterion.every_step)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode, as the environment does."""
        warn_of_hidden_limit(self.pays_futures)
        observation, info = self.env.reset(seed=seed, options=options)
        self._start = self._state = self._look(observation)
        return observation, {**info, ORIGINAL: 0.0, AT_LIMIT: False}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Step the environment; the reward is the augmented one."""
        observation, own, terminated, truncated, info = self.env.step(action)
        limit = truncated and not terminated
        ended = bool(terminated or (limit and self.pays_futures))
        before, self._state = self._state, self._look(observation)
        reward = self._reward(float(own), before, action, self._state, terminal=ended, start=self._start)
        info = {**info, ORIGINAL: float(own), AT_LIMIT: bool(limit)}
        return observation, float(reward), ended, bool(limit and not ended), info

    def compute_reward(self, *_: Any) -> float:
        """Refuse to tell the reward for another goal, which the environment inside tells without caring."""
        raise SettingError("a HerReplayBuffer would leave out what Caring pays; give another replay buffer")

    def _look(self, observation: Any) -> State:
        """The state that futures are functions of."""
        return _copied(observation if self._read is None else self._read(self.env))
