"""What the page of the explorer asks, and the answers, both in the terms of JSON.

``reply({"view": "identity", "world": "copy"})`` is what `multislot.exact.files.answers.answer` replies. Other views are
`caring`, `caution` and `reflection`, and ``start``, which lists the worlds and the words for values. This module,
``start``, ``identity`` and ``play`` need nothing but the standard library, so that they run in a browser as well.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from multislot.errors import MultislotError, SettingError, UnknownNameError
from multislot.exact.files.answers import answer
from multislot.exact.files.worlds import world_named, world_names, world_text
from multislot.exact.futures import VALUES
from scenarios.explore import play

COMPUTED = ("start", "identity", "play")
"""Views that every page computes."""
REPLAYED = ("caring", "caution", "reflection")
"""Views that need the whole project; the static page replays them. Each is a module of this package."""


def reply(request: Any) -> dict[str, Any]:
    """The reply to a request; a fault in it becomes the reply's ``error``: a message, a line and an entry."""
    if not isinstance(request, Mapping) or "view" not in request:
        return answer(request)  # the words for what is no request, or a request of ``multislot solve --json``
    asked = {key: value for key, value in request.items() if key != "view"}
    try:
        return view(str(request["view"]))(asked)
    except MultislotError as error:
        return {"error": {"message": str(error), "line": 0, "entry": ""}}


def view(name: str) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Find the function that answers the requests of a view."""
    if name in REPLAYED:
        try:
            replies: Callable[[Mapping[str, Any]], dict[str, Any]] = import_module(f"scenarios.explore.{name}").reply
        except ImportError:  # a page that only replays
            raise SettingError(
                f"this page knows recorded answers of the view {name!r} only: run multislot explore"
            ) from None
        return replies
    if name not in COMPUTED:
        raise UnknownNameError("view", name, (*COMPUTED, *REPLAYED))
    return {"start": start, "identity": answer, "play": play.reply}[name]


def start(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The worlds of the package, with their files, and the words for values."""
    worlds = []
    for name in world_names():
        world = world_named(name)
        worlds.append({"name": name, "title": world.title, "question": world.question, "text": world_text(name)})
    values = [{"name": name, "label": kind.plain_name, "meaning": kind.meaning} for name, kind in VALUES.items()]
    return {"worlds": worlds, "values": values}
