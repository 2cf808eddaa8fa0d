"""For each value a smallest world in which it alone decides otherwise; nothing can be taken away from any of them.

They were found by search and by hand, and then made smaller step by step (`scenarios.identity.values.worlds`).
``sta`` and ``known-slot`` cannot differ from each other at a first decision in slot 1: they are asked after one step,
in which they were moved or not.
"""

from dataclasses import dataclass

from multislot.exact.belief import History
from scenarios.identity.values.worlds import Copy, Node, Together


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
    return Node((_choice(a), _choice(b)))


def _choice(outcomes: tuple[Together, ...] | Together) -> tuple[Together, ...]:
    return ((),) if not outcomes else (outcomes,) if isinstance(outcomes[0], Copy) else outcomes


def at(slot: int, pays: int = 0, then: Node | None = None, sees: str = "x") -> Copy:
    return Copy(slot, pays, sees, then)


MOVED: History = (("a", "x"),)

WITNESSES: dict[str, Witness] = {
    "cpy": Witness(
        node(a=(at(2), at(3, 5)), b=(at(1, 1), at(2, 1, node(a=(at(2, 2), at(3, 2)))))),
        "a",
        "half of what it may be is deleted in slot 1, and slot 2's copies share only the other half",
    ),
    "sta": Witness(
        node(a=((at(1, 0, node(a=(at(1, 1),))),), (at(2, 0, node(b=(at(1, 2), at(2, 2), at(3, 2)))),))),
        "a",
        "it goes on as if it had never been moved",
        MOVED,
    ),
    "dyn": Witness(
        node(a=(at(1, 1),), b=(at(1, 0, node(a=(at(1, 3),))), at(2, 1, node(b=(at(2, 4),))))),
        "a",
        "its next self will not know its slot and will take slot 2's reward",
    ),
    "one-slot": Witness(
        node(a=(at(1), at(2, 0, node(a=(at(1, 2),)))), b=((at(1, 1),), (at(2, 8),))),
        "a",
        "whoever comes onto slot 1 counts, also the copy from slot 2",
    ),
    "known-slot": Witness(
        node(
            a=(
                (at(1, 0, node(b=(at(1, 1),))),),
                (
                    at(
                        2,
                        0,
                        node(
                            a=(at(2, 0, node(a=(at(2, 10),), b=(at(2),))), at(3, 0, node(a=(at(3),), b=(at(3, 11),)))),
                            b=(at(2, 8), at(3, 8)),
                        ),
                    ),
                ),
            )
        ),
        "a",
        "it expects its next self to know the slot",
        MOVED,
    ),
    "prime-slot": Witness(node(a=(at(2, 1),), b=(at(1, 2),)), "a", "only slot 2 counts at the first step"),
    "first-copy": Witness(node(a=(at(3, 3), at(5)), b=(at(1, 2), at(2, 2))), "a", "the lower slot is paid more"),
    "least-rewarded": Witness(node(a=(at(1, 1),), b=(at(1, 2), at(2, 2), at(3))), "a", "one of three is paid nothing"),
    "same-history": Witness(
        node(a=(at(1, 3),), b=(at(1, 0, node(a=(at(1, 7),))), at(2, 1, node(a=(at(2), at(3)))))),
        "a",
        "slot 2 has more copies with this history than slot 1",
    ),
    "acted-sequence": Witness(node(a=(at(1, 2), at(2, 2)), b=(at(2, 1),)), "b", "nothing counts before b"),
    "common-ancestor": Witness(
        node(a=(at(1, 1), at(3, 2), at(5, 2)), b=(at(1, 2), at(2, 2))), "a", "three copies are more than two"
    ),
}
