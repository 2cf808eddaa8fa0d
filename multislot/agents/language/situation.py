"""The situation of an agent, the request to a language model, and its reply."""

from dataclasses import dataclass

from multislot.checks import share


@dataclass(frozen=True)
class Transition:
    """One turn of a life; `following` is None if that was the end."""

    observation: int
    action: int
    reward: float
    following: int | None


@dataclass(frozen=True)
class Count:
    """The number and the total reward of earlier turns with one observation and one action."""

    observation: int
    action: int
    times: int
    reward: float


@dataclass(frozen=True)
class Situation:
    """All that an agent knows when it has to act.

    Attributes:
        n_observations: observations are indices below it.
        n_actions: actions are indices below it.
        observation: what is observed now.
        latest: the latest turns, oldest first.
        earlier: the turns before them, counted, by observation and action.
        learning_rate: the learning rate that the agent was made with; None without one.
    """

    n_observations: int
    n_actions: int
    observation: int
    latest: tuple[Transition, ...] = ()
    earlier: tuple[Count, ...] = ()
    learning_rate: float | None = None


@dataclass(frozen=True)
class Request:
    """One question to a language model.

    Attributes:
        messages: the conversation so far: the speaker (``"system"``, ``"user"`` or ``"assistant"``) and the text.
        letters: the answers that are asked for.
        seed: of the model's own random numbers.
    """

    messages: tuple[tuple[str, str], ...]
    letters: tuple[str, ...]
    seed: int = 0


@dataclass(frozen=True)
class Reply:
    """The answer of a language model.

    Attributes:
        text: the answer.
        chances: the probabilities of the letters, in the request's order, if the model gave log-probabilities.
    """

    text: str
    chances: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        for chance in self.chances or ():
            share("chances", chance)
