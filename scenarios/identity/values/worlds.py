"""Tiny worlds: trees of at most two steps, and for each value a smallest world in which it alone decides otherwise.

Nothing can be taken away from any of these `WITNESSES`. They come from a search and from work by hand: take a random
world that has a pattern, and go on to a `smaller` one as long as one has it.

A `Node` is what an agent meets: for each of two actions the outcomes, all equally likely. An outcome is a set of
copies. Each copy has its slot, reward, observation and what it meets next. Where nothing follows, everyone is deleted.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

from multislot.errors import SettingError
from multislot.exact import ActedSequence, Arrival, Value, action_values
from multislot.exact.belief import History, ImpossibleHistoryError
from multislot.exact.futures import PAPER_VALUES, named
from multislot.exact.kernel import Number, Outcome

ACTIONS = ("a", "b")
SEEN = ("x", "y")
STEPS = 2
NAMES = tuple(kind.name for kind in PAPER_VALUES)


@dataclass(frozen=True)
class Copy:
    """One copy: where it goes, what it is paid, what it sees and what it meets; nothing if `then` is None."""

    slot: int
    pays: int = 0
    then: "Node | None" = None
    sees: str = "x"


Together: TypeAlias = tuple[Copy, ...]
"""The copies of one outcome; none, if the agent is deleted."""


@dataclass(frozen=True)
class Node:
    """What an agent meets: the outcomes of action a and those of action b, each equally likely."""

    outcomes: tuple[tuple[Together, ...], tuple[Together, ...]]

    @property
    def copies(self) -> Iterator[Copy]:
        for choice in self.outcomes:
            for together in choice:
                for copy in together:
                    yield copy
                    if copy.then:
                        yield from copy.then.copies

    @property
    def size(self) -> tuple[int, int, int]:
        """How large a world is: its copies, then its chances, then its rewards."""
        copies = list(self.copies)
        nodes = [self, *(copy.then for copy in copies if copy.then)]
        chances = sum(len(choice) - 1 for node in nodes for choice in node.outcomes)
        return len(copies), chances, sum(copy.pays for copy in copies)


@dataclass(frozen=True)
class Tiny:
    """A tree as a kernel; the hidden state is what the agent meets."""

    root: Node
    actions: Sequence[str] = ACTIONS
    observations: Sequence[str] = SEEN

    @property
    def start(self) -> Mapping[int, Hashable]:
        return {1: self.root}

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> Sequence[Outcome]:
        if not isinstance(state, Node):
            return [(1, {})]
        choice = state.outcomes[ACTIONS.index(str(action))]
        chance = Fraction(1, len(choice))
        return [
            (chance, {copy.slot: Arrival(copy.then, copy.sees, copy.pays) for copy in together}) for together in choice
        ]


def find_value(name: str) -> Value:
    """A value by name; the sequence of `ActedSequence` is one action b, which fits into two steps."""
    return ActedSequence(("b",)) if name == "acted-sequence" else named(name)


def worths(root: Node, name: str, history: History = ()) -> dict[Hashable, Number]:
    """What each action is worth to a value after a history, at γ = 1, with two steps to come.

    Raises:
        ImpossibleHistoryError: no slot has the history.
    """
    return dict(action_values(Tiny(root), find_value(name), discount=1, horizon=STEPS, history=history))


def decisions(root: Node, names: Sequence[str] = NAMES, history: History = ()) -> dict[str, str]:
    """What each value decides after a history; those that are indifferent are left out.

    Raises:
        ImpossibleHistoryError: no slot has the history.
    """
    pairs = {name: tuple(worths(root, name, history).values()) for name in names}
    return {name: ACTIONS[second > first] for name, (first, second) in pairs.items() if first != second}


def alone(decided: Mapping[str, str]) -> str | None:
    """The value that decides unlike all others, if there is one."""
    for action in ACTIONS:
        taking = [name for name, taken in decided.items() if taken == action]
        if len(taking) == 1:
            return taking[0]
    return None


def is_alone(root: Node, name: str, history: History = ()) -> bool:
    """Whether a value decides unlike all others, none of which is indifferent; it asks no value more than it needs.

    Nobody decides in a world that is not allowed, or where no slot has the history.
    """
    try:
        own = decisions(root, (name,), history).get(name)
        others = (decisions(root, (other,), history).get(other, own) for other in NAMES if other != name)
        return own is not None and all(other != own for other in others)
    except (SettingError, ImpossibleHistoryError):  # two slots are copied into one, or nobody is left
        return False


def smaller(node: Node) -> Iterator[Node]:
    """Yield every world that is one step smaller: a copy, an outcome, a future or a unit of reward less."""
    a, b = node.outcomes
    yield from (Node((changed, b)) for changed in _smaller_choices(a))
    yield from (Node((a, changed)) for changed in _smaller_choices(b))


def _smaller_choices(choice: tuple[Together, ...]) -> Iterator[tuple[Together, ...]]:
    for index, together in enumerate(choice):
        if len(choice) > 1:
            yield choice[:index] + choice[index + 1 :]
        for changed in _smaller_sets(together):
            yield (*choice[:index], changed, *choice[index + 1 :])


def _smaller_sets(together: Together) -> Iterator[Together]:
    for index, copy in enumerate(together):
        before, after = together[:index], together[index + 1 :]
        yield before + after
        if copy.pays:
            yield (*before, replace(copy, pays=copy.pays - 1), *after)
        if copy.then:
            yield (*before, replace(copy, then=None), *after)
            for node in smaller(copy.then):
                yield (*before, replace(copy, then=node), *after)


@dataclass(frozen=True)
class Witness:
    """A world in which one value stands alone.

    Attributes:
        world: what the agent meets at first.
        decides: what this value decides; all others decide otherwise.
        why: the reason, in words.
    """

    world: Node
    decides: str
    why: str
    history: History = ()


def node(a: tuple[Together, ...] | Together = (), b: tuple[Together, ...] | Together = ()) -> Node:
    """What an agent meets, from the copies of each action, or from a tuple of equally likely outcomes."""

    def outcomes(copies: Any) -> tuple[Together, ...]:
        return ((),) if not copies else (copies,) if isinstance(copies[0], Copy) else copies

    return Node((outcomes(a), outcomes(b)))


MOVED: History = (("a", "x"),)

WITNESSES: dict[str, Witness] = {
    "cpy": Witness(
        node(a=(Copy(2), Copy(3, 5)), b=(Copy(1, 1), Copy(2, 1, node(a=(Copy(2, 2), Copy(3, 2)))))),
        "a",
        "half of what it may be is deleted in slot 1, and slot 2's copies share only the other half",
    ),
    "sta": Witness(
        node(a=((Copy(1, 0, node(a=(Copy(1, 1),))),), (Copy(2, 0, node(b=(Copy(1, 2), Copy(2, 2), Copy(3, 2)))),))),
        "a",
        "it goes on as if it had never been moved",
        MOVED,
    ),
    "dyn": Witness(
        node(a=(Copy(1, 1),), b=(Copy(1, 0, node(a=(Copy(1, 3),))), Copy(2, 1, node(b=(Copy(2, 4),))))),
        "a",
        "its next self will not know its slot and will take slot 2's reward",
    ),
    "one-slot": Witness(
        node(a=(Copy(1), Copy(2, 0, node(a=(Copy(1, 2),)))), b=((Copy(1, 1),), (Copy(2, 8),))),
        "a",
        "whoever comes onto slot 1 counts, also the copy from slot 2",
    ),
    "known-slot": Witness(
        node(
            a=(
                (Copy(1, 0, node(b=(Copy(1, 1),))),),
                (
                    Copy(
                        2,
                        0,
                        node(
                            a=(
                                Copy(2, 0, node(a=(Copy(2, 10),), b=(Copy(2),))),
                                Copy(3, 0, node(a=(Copy(3),), b=(Copy(3, 11),))),
                            ),
                            b=(Copy(2, 8), Copy(3, 8)),
                        ),
                    ),
                ),
            )
        ),
        "a",
        "it expects its next self to know the slot",
        MOVED,
    ),
    "prime-slot": Witness(node(a=(Copy(2, 1),), b=(Copy(1, 2),)), "a", "only slot 2 counts at the first step"),
    "first-copy": Witness(
        node(a=(Copy(3, 3), Copy(5)), b=(Copy(1, 2), Copy(2, 2))), "a", "the lower slot is paid more"
    ),
    "least-rewarded": Witness(
        node(a=(Copy(1, 1),), b=(Copy(1, 2), Copy(2, 2), Copy(3))), "a", "one of three is paid nothing"
    ),
    "same-history": Witness(
        node(a=(Copy(1, 3),), b=(Copy(1, 0, node(a=(Copy(1, 7),))), Copy(2, 1, node(a=(Copy(2), Copy(3)))))),
        "a",
        "slot 2 has more copies with this history than slot 1",
    ),
    "acted-sequence": Witness(node(a=(Copy(1, 2), Copy(2, 2)), b=(Copy(2, 1),)), "b", "nothing counts before b"),
    "common-ancestor": Witness(
        node(a=(Copy(1, 1), Copy(3, 2), Copy(5, 2)), b=(Copy(1, 2), Copy(2, 2))), "a", "three copies are more than two"
    ),
}
