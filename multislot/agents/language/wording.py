"""Sentences with places for values."""

from collections.abc import Iterable
from string import Formatter

from multislot.errors import SettingError, UnknownNameError


def places(sentence: str) -> list[str]:
    """Return the names of the places of a sentence, in order; raise SettingError if a brace is unbalanced."""
    try:
        return [name for _, name, _, _ in Formatter().parse(sentence) if name is not None]
    except ValueError as error:
        raise SettingError(f"got the sentence {sentence!r}; {error}; write {{{{ and }}}} for braces") from None


def checked_sentence(name: str, sentence: str, needed: Iterable[str], known: Iterable[str]) -> str:
    """Return a sentence of a template.

    Args:
        name: of the sentence.
        sentence: with places such as ``{action}``.
        needed: the places that it must have.
        known: those that it may have, too.
    """
    present, needed = places(sentence), tuple(needed)
    for place in present:
        if place not in (*needed, *known):
            raise UnknownNameError(f"place in the sentence {name!r}", place, (*needed, *known))
    for place in needed:
        if place not in present:
            raise SettingError(f"got {name}={sentence!r}; expected a sentence with the place {{{place}}}")
    return sentence


def number_words(value: float) -> str:
    """Return a number as a person writes it, exactly: whole ones without a point."""
    return str(int(value)) if value == int(value) and abs(value) < 2**53 else repr(float(value))
