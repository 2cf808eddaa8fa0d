"""What a language model's words mean: one of the letters that were asked for, or nothing that can be read."""

import json
import re
from collections.abc import Sequence

THOUGHTS = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
CHOICE = "action"
"""The key of the answer in structured output."""


def read_letter(text: str, letters: Sequence[str]) -> str | None:
    """Return the letter that an answer names; None if it names none, or more than one.

    Accepted are the letter alone, in any case and with punctuation around it, structured output
    (``{"action": "K"}``), and a sentence in which exactly one of the letters stands by itself. What reasoning models
    think aloud between ``<think>`` and ``</think>`` is left out.
    """
    said = THOUGHTS.sub("", text).strip()
    try:
        structured = json.loads(said)
    except (ValueError, RecursionError):
        structured = None
    if isinstance(structured, dict):
        return structured.get(CHOICE) if structured.get(CHOICE) in letters else None
    bare = re.sub(r"[\W_]", "", said).upper()
    if bare in letters:
        return bare
    named = {letter for letter in letters if re.search(rf"(?<![A-Za-z']){letter}(?![A-Za-z'])", said)}
    return named.pop() if len(named) == 1 else None
