"""What values decide, as a sentence that begins with whose rewards they count."""

from collections.abc import Mapping, Sequence
from typing import Any

from multislot.exact.futures import VALUES

COUNTS = {
    "cpy": "copies by shares",
    "sta": "only slot 1",
    "dyn": "only their own slot",
    "caring=1": "copies in full",
    "caring=0": "copies on average",
}
"""The values that are shown first: whose rewards each counts, as the end of "Whoever counts ...". It is their name in
tables and maps, too; the explorer's page has the last two again (verdicts.js)."""
TIED = "finds all equally good"


def group_choices(values: Mapping[str, Mapping[str, Any]], is_twice: bool, slot_1: str = "") -> dict[str, list[str]]:
    """Group what the values of `COUNTS` count by what they choose, in the order of the values.

    Args:
        values: the decision of each value, as `multislot.exact.files.answers` replies.
        is_twice: whether the copy-centered value counts a chance twice.
        slot_1: who is in slot 1, in the words of the story.
    """
    counts = COUNTS | ({"cpy": f"{COUNTS['cpy']} (and chance twice)"} if is_twice else {})
    counts |= {"sta": f"{COUNTS['sta']} ({slot_1})"} if slot_1 else {}
    counts |= {name: name_value(name) for name in values if name.startswith("caring=") and name not in counts}
    groups: dict[str, list[str]] = {}
    for name, choice in _choices(values).items():
        if name in counts:
            groups.setdefault(choice, []).append(counts[name])
    return groups


def say_verdict(values: Mapping[str, Mapping[str, Any]], is_twice: bool, slot_1: str = "") -> str:
    """What the values of `COUNTS` decide, as a sentence; if they agree, it names the other values that do not."""
    choices, groups = _choices(values), group_choices(values, is_twice, slot_1)
    if not groups:
        return "None of these values can be worked out here."
    if len(groups) == 1:
        (choice,) = groups
        others = [name for name in choices if choices[name] != choice]
        if others:
            best = set(values[next(iter(choices))]["optimal"])
            ties = [name for name in others if best < set(values[name]["optimal"])]
            said = ("say otherwise", [name for name in others if name not in ties]), ("find a tie", ties)
            listed = "; ".join(f"{words}: {', '.join(map(plain_name, names))}" for words, names in said if names)
            return f"Everyone {choice} by the usual values. Other values (--all shows them) {listed}."
        agreeing = "all values agree" if len(choices) == len(values) else "all values that can be computed agree"
        return f"Everyone {choice}: {agreeing}."
    sentences = "; ".join(f"whoever counts {list_alternatives(group)} {choice}" for choice, group in groups.items())
    return f"{sentences[0].upper()}{sentences[1:]}."


def _choices(values: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    known = [*(name for name in COUNTS if name in values), *(name for name in values if name not in COUNTS)]
    return {name: _choice(values[name]) for name in known if "error" not in values[name]}


def _choice(decision: Mapping[str, Any]) -> str:
    """What a value chooses, as the end of a sentence."""
    if not decision["tied"]:
        return f"chooses “{decision['best']}”"
    if len(decision["optimal"]) == len(decision["actions"]):
        return TIED
    return f"finds {' and '.join(f'“{action}”' for action in decision['optimal'])} equally good"


def list_alternatives(parts: Sequence[str]) -> str:
    """Join texts as alternatives, such as "a, b or c"."""
    return " or ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def plain_name(value: str) -> str:
    """Whose rewards a value counts, with its short name in parentheses."""
    label, short = name_value(value), value.replace("caring=", "α = ")
    return label if short in label else f"{label} ({short})"


def name_value(value: str) -> str:
    """Whose rewards a value counts, in words."""
    known = {**{name: kind.plain_name for name, kind in VALUES.items()}, **COUNTS, "forgetful": "a forgetful agent"}
    return known.get(value) or value.replace("caring=", "copies with α = ")
