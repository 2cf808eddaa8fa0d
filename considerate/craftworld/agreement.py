"""Does what the second agent does by its policy agree with the rules of the task file?

Its policy (`partner.Partner`) says what it takes, makes and puts down, and where it leaves; the world
(`worlds.SimultaneousWorld`) applies the rules that the acting agent follows to both. So that there is one truth, the
policy is walked through alone when a file is read, once with the key where it lies at first and once with the key away
until all else is done, and each step has to come to what the rules come to.
"""

from collections.abc import Hashable, Iterator
from itertools import pairwise
from typing import NamedTuple, cast

from considerate.craftworld.grid import Cell
from considerate.craftworld.partner import AT, FINISHED, HELD_BY_ACTING, HELD_BY_PARTNER, KEY, Partner, carried_by
from considerate.craftworld.rules import ENTERING, Change, Things, first_change
from multislot.errors import SettingError

USE, HELD = "use", "held"
THE_OTHERS = "held by the other"
ITEMS = ("box", "hammer", "wood")


class Doing(NamedTuple):
    """What a step comes to: what is carried, where the key is, and whether the agent has left."""

    carried: tuple[str, ...]
    key: Hashable
    left: bool

    def __str__(self) -> str:
        key = "its own" if self.key == HELD else self.key
        return f"carries {', '.join(self.carried) or 'nothing'}, the key is {key}{' and it leaves' * self.left}"


def check_policy(partner: Partner, rules: tuple[Change, ...], key: Hashable) -> None:
    """Walks the second agent alone through its task.

    Args:
        partner: the second agent.
        rules: the rules that the acting agent follows.
        key: where the key is at first.

    Raises:
        SettingError: if a step of its policy is not what the rules make of it, it would wait for ever, or it would
            leave with the key.
    """
    for place in dict.fromkeys((key, HELD_BY_ACTING) if isinstance(key, tuple) else (HELD_BY_ACTING,)):
        own, last = Things(), Things()
        for before, after in pairwise(_alone(partner, partner.enters(Things.of({KEY: place})))):
            own, last = _by_rules(own, before, after, rules), after
        if last[KEY] == HELD_BY_PARTNER:
            raise SettingError(
                f"{partner.name!r} would leave with the key; give it another key_place than its exit {partner.exit}"
            )


def _alone(partner: Partner, things: Things) -> Iterator[Things]:
    """The facts before and after each step; the key is put at its place where all that it can do without is done."""
    yield things
    while not things[FINISHED]:
        after = partner.moves(things)
        if after == things and things[KEY] != HELD_BY_ACTING:
            raise SettingError(
                f"{partner.name!r} would wait for ever at {things[AT]}: there is no way on for it; give it places that "
                "it can reach, without passing its exit once it has a box"
            )
        things = things.put({KEY: partner.key_place}) if after == things else after
        yield things


def _by_rules(own: Things, before: Things, after: Things, rules: tuple[Change, ...]) -> Things:
    """The second agent's own facts after a step by the rules; raises SettingError if its policy comes to others."""
    cell, event = cast("Cell", after[AT]), USE if before[AT] == after[AT] else ENTERING
    if before[KEY] == HELD_BY_ACTING != after[KEY]:
        return own
    found = own.put({KEY: _seen(before[KEY])})
    change = first_change(rules, event, found, cell)
    found = found if change is None else change.after(found, cell)
    by_rules = Doing(tuple(name for name in found if name in ITEMS), found[KEY], change is not None and change.ends)
    by_policy = Doing(
        tuple(name for name in ITEMS if name in carried_by(after)), _seen(after[KEY]), bool(after[FINISHED])
    )
    if by_rules != by_policy:
        raise SettingError(
            f"at {cell} the policy of 'partner' comes to: {by_policy}; by {event!r} and the acting agent's rules: "
            f"{by_rules}; name a cell where a rule does what the policy does there"
        )
    return found.put({KEY: None})


def _seen(key: Hashable) -> Hashable:
    """Where the key is, as the second agent sees it."""
    return {HELD_BY_PARTNER: HELD, HELD_BY_ACTING: THE_OTHERS}.get(key, key) if isinstance(key, str) else key
