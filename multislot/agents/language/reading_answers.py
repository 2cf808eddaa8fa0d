"""What a language model's words mean: one of the letters that were asked for, or nothing that can be read."""

import json
import re
from collections.abc import Sequence

THOUGHTS = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
CHOICE = "action"
"""The key of the answer in structured output."""


def letter_in(text: str, letters: Sequence[str]) -> str | None:
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


def choice_schema(letters: Sequence[str]) -> dict[str, object]:
    """Return the JSON schema of structured output that can only be one of the letters."""
    return {
        "type": "object",
        "properties": {CHOICE: {"type": "string", "enum": list(letters)}},
        "required": [CHOICE],
        "additionalProperties": False,
    }


def likeliest(chances: Sequence[tuple[str, float]], letters: Sequence[str]) -> str | None:
    """Return the letter of the largest probability; None if no letter is among the likely tokens.

    Args:
        chances: tokens with their log-probabilities; a letter may come with blanks around it.
        letters: the letters.
    """
    known = [(chance, token.strip()) for token, chance in chances if token.strip() in letters]
    return max(known)[1] if known else None
