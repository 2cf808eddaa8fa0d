"""Search for the smallest worlds: random trees without ties, made smaller as long as the pattern stays."""

from collections.abc import Callable
from random import Random

from multislot.errors import SettingError
from multislot.exact.belief import ImpossibleHistoryError
from scenarios.identity.values.worlds import SEEN, STEPS, Copy, Node, Together, smaller

SLOTS = (1, 2, 3, 5)
MOST_PAID = 3

Pattern = Callable[[Node], bool]


def random_world(draw: Random, steps: int = STEPS) -> Node:
    """A random tree: one or two outcomes for each action, up to two copies in each."""
    return Node((_choice(draw, steps), _choice(draw, steps)))


def _choice(draw: Random, steps: int) -> tuple[Together, ...]:
    return tuple(_together(draw, steps) for _ in range(draw.choice((1, 1, 1, 2))))


def _together(draw: Random, steps: int) -> Together:
    slots = draw.sample(SLOTS, draw.choice((0, 1, 1, 1, 2, 2)))
    return tuple(_copy(draw, slot, steps) for slot in sorted(slots))


def _copy(draw: Random, slot: int, steps: int) -> Copy:
    follows = steps > 1 and draw.random() < 0.7
    then = random_world(draw, steps - 1) if follows else None
    return Copy(slot, draw.randint(0, MOST_PAID), draw.choice(SEEN), then)


def is_met(pattern: Pattern, node: Node) -> bool:
    """Whether a world is allowed and has the pattern."""
    try:
        return pattern(node)
    except (SettingError, ImpossibleHistoryError):  # two slots are copied into one, or nobody is left
        return False


def shrunk(node: Node, pattern: Pattern) -> Node:
    """A world with the pattern from which nothing can be taken away; the largest steps are tried first."""
    while True:
        for candidate in sorted(smaller(node), key=lambda one: one.size):
            if is_met(pattern, candidate):
                node = candidate
                break
        else:
            return node
