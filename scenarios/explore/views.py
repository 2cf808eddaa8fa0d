"""Views whose requests choose from lists, so that a page without the whole project can replay every answer."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from multislot.checks import refusal
from multislot.errors import UnknownNameError
from multislot.exact.files.answers import check_keys


@dataclass(frozen=True)
class ReplayedView:
    """A view with finitely many requests.

    Attributes:
        choices: what each key of a request can be. A request has all keys, or none.
        start: the reply to the request without keys, which describes the view.
        answer: from one choice of each key, in order, to the reply.
    """

    choices: Mapping[str, Sequence[Any]]
    start: Callable[[], dict[str, Any]]
    answer: Callable[..., dict[str, Any]]

    def reply(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a request, such as ``{"task": "box", "criterion": "value"}``."""
        check_keys("request", asked, self.choices)
        if not asked:
            return self.start()
        if asked.keys() != self.choices.keys():
            raise refusal("request", sorted(asked), f"all of {', '.join(map(repr, self.choices))}, or none of them")
        for key, choices in self.choices.items():
            if asked[key] not in choices:
                raise UnknownNameError(key, str(asked[key]), map(str, choices))
        return self.answer(*(asked[key] for key in self.choices))

    def requests(self) -> Iterator[dict[str, Any]]:
        """Yield every request that the view can ask."""
        yield {}
        if self.choices:
            yield from (dict(zip(self.choices, chosen, strict=True)) for chosen in product(*self.choices.values()))
