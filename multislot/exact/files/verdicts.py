"""What values decide, as a sentence that begins with whose rewards they count."""

from collections.abc import Mapping, Sequence
from typing import Any

from multislot.exact.futures import VALUES

COUNTS = {
    "cpy": "copies by their shares",
    "sta": "only slot 1",
    "dyn": "only the slot they are in",
    "caring=1": "every copy in full",
    "caring=0": "the average of the living copies",
}
"""The values that are shown first: whose future each counts, as the end of "Whoever counts ..."."""
TIED = "finds all equally good"


def group_choices(values: Mapping[str, Mapping[str, Any]], has_chance: bool, slot_1: str = "") -> dict[str, list[str]]:
    """Group what the values of `COUNTS` count by what they choose, in the order of the values.

    Args:
        values: the decision of each value, as `multislot.exact.files.answers` replies.
        has_chance: whether the copy-centered value may count a chance twice.
        slot_1: who is in slot 1, in the words of the story.
    """
    counts = COUNTS | ({"cpy": f"{COUNTS['cpy']} (and chance twice)"} if has_chance else {})
    counts |= {"sta": f"{COUNTS['sta']} ({slot_1})"} if slot_1 else {}
    groups: dict[str, list[str]] = {}
    for name, choice in _choices(values).items():
        if name in counts:
            groups.setdefault(choice, []).append(counts[name])
    return groups


def say_verdict(values: Mapping[str, Mapping[str, Any]], has_chance: bool, slot_1: str = "") -> str:
    """What the values of `COUNTS` decide, as a sentence; if they agree, it names the other values that do not."""
    choices, groups = _choices(values), group_choices(values, has_chance, slot_1)
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
            return f"Everyone {choice} by the values in the table. Other values (--all shows them) {listed}."
        agreeing = "all values agree" if len(choices) == len(values) else "all values that can be computed agree"
        return f"Everyone {choice}: {agreeing}."
    sentences = [f"whoever counts {list_alternatives(group)} {choice}" for choice, group in groups.items()]
    return ("; ".join(sentences) + ".").capitalize()


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
    """A value in words, with its short name in parentheses."""
    if value.startswith("caring="):
        return f"caring for copies, α = {value.removeprefix('caring=')}"
    label = VALUES[value].plain_name if value in VALUES else value
    return label if label == value else f"{label} ({value})"
