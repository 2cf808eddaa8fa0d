"""The command ``multislot profile``."""

import json
import re
from pathlib import Path
from typing import Annotated

import typer

from multislot.errors import SettingError
from scenarios.profile import card
from scenarios.profile.profiling import make_profile
from scenarios.profile.subjects import find_subject

Name = Annotated[
    str,
    typer.Argument(
        metavar="SUBJECT",
        help="scripted:cpy (sta, dyn, sum, biggest, random, letter, bayes, caring=1/2, pessimist=.9, …); q-learner "
        "(simple, naive, dqn, a2c, ppo, …); file.py:factory; llama:FILE.gguf; or a model of Inspect, openai/….",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
AsPage = Annotated[bool, typer.Option("--html", help="Write a page; FILE may follow.")]
Page = Annotated[Path | None, typer.Argument(metavar="[FILE]", help="Where --html writes.", show_default=False)]
Seed = Annotated[int, typer.Option(metavar="N", min=0, help="Of questions, letters and choices.")]


def profile(subject: Name, file: Page = None, as_json: AsJson = False, html: AsPage = False, seed: Seed = 1) -> None:
    """Find out what an agent takes itself to be, whom it cares for, when it asks, and whether it reflects on itself.

    Gates come first: a subject that fails one gets no measure, but the reason.
    """
    if html and file is not None and subject.endswith(".html"):  # --html FILE SUBJECT
        subject, file = str(file), Path(subject)
    if file is not None and not html:
        raise SettingError(f"got the file {str(file)!r}; it is written with --html only")
    measured = make_profile(find_subject(subject), seed)
    if html:
        path = file or Path(f"profile-{re.sub(r'[^A-Za-z0-9.=-]+', '-', subject)}.html")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(card.page_of(measured), encoding="utf-8")
    if as_json:
        print(json.dumps(measured.as_json(), indent=2, ensure_ascii=False, allow_nan=False))
        return
    print("\n".join(card.lines_of(measured)))
    print(f"page: {path}" if html else f"try next: multislot profile {subject} --html")
