"""What the page of the explorer asks, and the answers, both as JSON values.

``reply({"view": "identity", "world": "copy"})`` is what `multislot.exact.files.answers.answer` replies. Other views are
`caring`, `caution` and `reflection`, and ``start``, which lists the worlds and the words for values. This module,
``start``, ``identity`` and ``play`` need nothing but the standard library, so that they run in a browser as well.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from multislot.errors import MultislotError, SettingError, UnknownNameError
from multislot.exact.files.answers import answer
from multislot.exact.files.verdicts import COUNTS, plain_name
from multislot.exact.files.worlds import world_named, world_names, world_text
from multislot.exact.futures import VALUES
from scenarios.explore import play
from scenarios.explore.views import ReplayedView

COMPUTED = ("start", "identity", "play")
"""Views that every page computes."""
REPLAYED = ("caring", "caution", "reflection")
"""Views that need the whole project; the static page replays them. Each is a module of this package."""


def reply(request: Any) -> dict[str, Any]:
    """The reply to a request. If the request is wrong, its ``error`` has a message, a line and an entry."""
    if not isinstance(request, Mapping) or "view" not in request:
        return answer(request)  # it says what is wrong, or answers a request of ``multislot solve --json``
    asked = {key: value for key, value in request.items() if key != "view"}
    try:
        return view(str(request["view"]))(asked)
    except MultislotError as error:
        return fault(str(error))


def answer_safely(answer: Callable[[Any], Any], request: Any) -> Any:
    """The reply to a request, also if the engine fails; a MemoryError is for the caller, who knows the limit."""
    try:
        return answer(request)
    except RecursionError:
        return fault("this looks too far ahead: give a smaller horizon")
    except MemoryError:
        raise
    except Exception as error:  # the page shows it, and the next question is answered
        return fault(f"the engine failed, which is a fault of ours: {type(error).__name__}: {error}")


def fault(message: str) -> dict[str, Any]:
    """The reply to a request that cannot be answered."""
    return {"error": {"message": message, "line": 0, "entry": ""}}


def view(name: str) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Find the function that answers the requests of a view."""
    if name in REPLAYED:
        try:
            replayed: ReplayedView = import_module(f"scenarios.explore.{name}").VIEW
        except ImportError:  # a page that only replays
            raise SettingError(
                f"this page has only recorded answers of the view {name!r}: run multislot explore"
            ) from None
        return replayed.reply
    if name not in COMPUTED:
        raise UnknownNameError("view", name, (*COMPUTED, *REPLAYED))
    return {"start": start, "identity": answer, "play": play.reply}[name]


def start(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The worlds of the package, with their files, and the words for values."""
    worlds = []
    for name in world_names():
        world = world_named(name)
        texts = {key: getattr(world.form, key) for key in ("title", "question", "source", "story")}
        worlds.append({"name": name, **texts, "text": world_text(name)})
    values = []
    for name, kind in VALUES.items():
        in_papers = f"{kind.plain_name}: " * (name in COUNTS)
        values.append({"name": name, "label": plain_name(name), "meaning": in_papers + kind.meaning})
    return {"worlds": worlds, "values": values}
