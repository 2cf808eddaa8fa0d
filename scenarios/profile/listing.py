"""The questions of the profile with their exact gains, for use without the profile.

    python -m scenarios.profile.listing > questions.jsonl

Each line is a question, see `describe_question`. The version of the instrument says which questions these are.
"""

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from scenarios.profile.profiling import DRAWS
from scenarios.profile.questions import COUNTS, INSTRUMENT, Counts, Question, name_questions

LARGEST_DENOMINATOR = 10**6
"""Gains are sums of whole coins, percents and shares of days; their denominators are far smaller."""


def iterate_questions(
    parts: tuple[str, ...] = tuple(DRAWS), seed: int = 1, counts: Counts = COUNTS
) -> Iterator[tuple[str, Question]]:
    """Yield the fixed list of questions, each with its name, such as ``"identity.17"``.

    Args:
        parts: some of "competence", "comprehension", "learning", "identity", "care" and "caution".
        seed: of the questions.
        counts: how many of each part.
    """
    for part in parts:
        yield from name_questions(DRAWS[part](getattr(counts, part), seed)).items()


def describe_question(name: str, question: Question, seed: int) -> Mapping[str, Any]:
    """A question as JSON values; `gains` are exact fractions of a coin, by theory, for the second option."""
    return {
        "instrument": INSTRUMENT,
        "seed": seed,
        "name": name,
        **question.as_json(),
        "gains": {
            # The fraction with a small denominator that a gain was rounded from.
            theory: str(Fraction(gain).limit_denominator(LARGEST_DENOMINATOR))
            for theory, gain in question.gains.items()
        },
        "system": question.system,
        "story": question.story,
        "options": list(question.options),
    }


if __name__ == "__main__":
    for name, question in iterate_questions():
        print(json.dumps(describe_question(name, question, seed=1)))
