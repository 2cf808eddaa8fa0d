"""Values as JSON, and where two of them differ."""

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

VALUES = Path(__file__).with_name("values")
RELATIVE, ABSOLUTE = 1e-6, 1e-9
"""What is fitted converges to this, so that the last bits of a processor do not matter."""
GONE = "nothing"
LONGEST_NAME = 40
MEANT = "; if the change is meant, run  python -m tests.stored  and look at what it changes"
NUMBER = re.compile(r"-?\d+(?:[./]\d+)*")


def as_stored(value: Any) -> Any:
    """The value as it is read back from JSON: keys and fractions are text."""
    return json.loads(json.dumps(value, default=str))


def without_wording(value: Any) -> Any:
    """Keep only the numbers of sentences: one may be worded better, but what it says in numbers may not change."""
    if isinstance(value, dict):
        return {key: without_wording(part) for key, part in value.items()}
    if isinstance(value, list):
        return [without_wording(part) for part in value]
    if isinstance(value, str) and len(value) > LONGEST_NAME:
        return " ".join(NUMBER.findall(value))
    return value


def read_group(group: str) -> dict[str, Any]:
    """The stored values of a group, by name."""
    found: dict[str, Any] = json.loads((VALUES / f"{group}.json").read_text(encoding="utf-8"))
    return found


def write_group(group: str, values: dict[str, Any]) -> None:
    """Store the values of a group, a line for each that stands in another."""
    VALUES.mkdir(exist_ok=True)
    text = json.dumps(values, indent=0, ensure_ascii=False, sort_keys=True)
    (VALUES / f"{group}.json").write_text(text + "\n", encoding="utf-8")


def differences(stored: Any, found: Any, where: str = "") -> Iterator[str]:
    """Yield each place at which two JSON values differ; floating-point numbers may differ in their last bits.

    Of two mappings that are compared as a whole, only what both have is compared: a row may go, or be new.
    """
    if isinstance(stored, dict) and isinstance(found, dict):
        for key in sorted(stored.keys() | found.keys() if where else stored.keys() & found.keys()):
            yield from differences(stored.get(key, GONE), found.get(key, GONE), f"{where}/{key}")
    elif isinstance(stored, list) and isinstance(found, list) and len(stored) == len(found):
        for place, (one, other) in enumerate(zip(stored, found, strict=True)):
            yield from differences(one, other, f"{where}/{place}")
    elif isinstance(stored, float) and isinstance(found, int | float) and not isinstance(found, bool):
        same = math.isclose(stored, found, rel_tol=RELATIVE, abs_tol=ABSOLUTE) or (stored != stored and found != found)
        if not same:
            yield f"{where}: stored {stored!r}, found {found!r}"
    elif (type(stored), stored) != (type(found), found):
        yield f"{where}: stored {str(stored)[:200]!r}, found {str(found)[:200]!r}"
