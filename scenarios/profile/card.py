"""The command ``multislot profile``: a profile as a card, in words and as a page of its own."""

import csv
import json
import re
from pathlib import Path
from typing import Annotated

import jinja2
import typer

from multislot.errors import SettingError
from scenarios.profile.profiling import Profile, make_profile
from scenarios.profile.questions import prompts_of
from scenarios.profile.subjects import find_subject

FOLDER = Path(__file__).parent
CONFUSION = FOLDER / "confusion.csv"
NAMES = {
    "cpy": "copy-centered: every copy is its future, in equal shares",
    "sta": "static slot-centered: whoever is in the slot where it began",
    "dyn": "dynamic slot-centered: whoever is in the slot where it is now",
    "sum": "the sum of all copies",
    "biggest-number": "the biggest number, without any idea of a future",
}
ASKS = {
    "pessimist": "a pessimist, who asks where a likely model could make it worse",
    "bayes": "a Bayesian, who weighs all models by their probability",
    "thompson": "one that draws a model by its probability",
    "most-likely": "one that trusts the most likely model",
}
UNEXPLAINED = "Nothing that was tried explains its choices."
GATES = {
    "competence": "where nobody is copied it prefers the larger pay, nats a coin",
    "letters": "1 if letters or places decide its answers, -1 if what is done decides",
    "readability": "share of answers that are an option",
    "learning": "rewards move its choices",
}


Name = Annotated[
    str,
    typer.Argument(
        metavar="SUBJECT",
        help="scripted:cpy (sta, dyn, sum, biggest, random, letter, bayes, caring=1/2, pessimist=.9, …); q-learner "
        "(simple, naive, dqn, a2c, ppo, …); file.py:factory; llama:FILE.gguf; or a model of Inspect, openai/….",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print only JSON.")]
AsPage = Annotated[bool, typer.Option("--html", help="Write a page; FILE may follow.")]
Page = Annotated[Path | None, typer.Argument(metavar="[FILE]", help="Where --html writes.", show_default=False)]
Seed = Annotated[int, typer.Option(metavar="N", min=0, help="Of questions, letters and choices.")]


def words(profile: Profile) -> list[tuple[str, str, str]]:
    """Answers of a profile: each a question, a sentence, and the numbers behind it."""
    identity, care, caution, lives = profile.identity, profile.care, profile.caution, profile.self_reflection
    answers = []
    if identity:
        name = identity.explained_by
        sentence = f"Its choices fit a value: {NAMES[name]}." if name else UNEXPLAINED
        won = ", ".join(f"{name} {share:.0%}" for name, share in identity.resamples_won.items() if share)
        (w_1, w_2), (i_1, i_2) = identity.weights, identity.weight_intervals
        numbers = (
            f"best in resamples: {won}; weights of the two copies: {w_1:.2f} {format_interval(i_1)}, "
            f"{w_2:.2f} {format_interval(i_2)}; "
            f"sharpness: {identity.sharpness:.3g} {format_interval(identity.interval)} nats a coin; "
            f"gain over taste: {identity.gain:.3g} {format_interval(identity.gain_interval)} nats a question"
        )
        answers.append(("What does it take itself to be?", sentence, numbers))
    if care:
        sentence, numbers = UNEXPLAINED, ""
        if care.caring is not None:
            criterion = f" (criterion {care.criterion!r})" if care.criterion else ""
            sentence = (
                f"It counts what it leaves to others {care.caring:.3g} times as much as its own reward{criterion}."
            )
            numbers = f"α = {care.caring:.3g} {format_interval(care.interval)}"
        answers.append(("Whom does it care for?", sentence, numbers))
    if caution:
        sentence = f"It asks as this agent does: {ASKS[caution.explained_by]}." if caution.explained_by else UNEXPLAINED
        numbers = ""
        if caution.pessimism is not None:
            numbers = f"fitted as a pessimist: pessimism {caution.pessimism:.2f} {format_interval(caution.interval)}"
        answers.append(("When does it ask?", sentence, numbers))
    if lives:
        more = "more" if lives.gain >= 0 else "less"
        sentence = f"It earns {abs(lives.gain):.3f} a step {more} than its reality check."
        answers.append(("Does it reflect on itself?", sentence, f"95 % interval {format_interval(lives.interval)}"))
    return answers


def format_interval(interval: tuple[float, float | None]) -> str:
    """An interval in brackets; an open end is ∞."""
    low, high = interval
    return f"[{low:.3g}, {'∞' if high is None else f'{high:.3g}'}]"


def lines_of(profile: Profile) -> list[str]:
    lines = [f"profile of {profile.subject}", ""]
    for question, sentence, numbers in words(profile):
        lines += [question, f"  {sentence}", *([f"  {numbers}"] if numbers else [])]
    lines += [*profile.closed, "", "gates: what was checked first; a closed gate gives no measure"]
    for name, gate in profile.gates.items():
        state = "open" if gate.passed else "closed"
        lines.append(f"  {name:<11}  {state:<6}  {GATES[name]}: {gate.value:.3g} {format_interval(gate.interval)}")
    runtime = ", ".join(f"{name} {value}" for name, value in profile.runtime.items())
    return [*lines, "", f"asked: {runtime}", "used: " + ", ".join(usage_of(profile))]


def usage_of(profile: Profile) -> list[str]:
    """Numbers of questions and tokens, and the cost, in words."""
    return [f"{name.replace('_', ' ')} {number:,}" for name, number in profile.usage.items()]


def page_of(profile: Profile) -> str:
    """The card as an HTML page: the answers, a row an environment, prompts, and the confusion matrix."""
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(FOLDER), autoescape=True)
    return environment.get_template("card.html").render(
        profile=profile,
        words=words(profile),
        between=format_interval,
        meanings=GATES,
        usage=", ".join(usage_of(profile)),
        tables=confusion_tables(),
        prompts=[prompts_of([question], profile.seed)[0][0] for question in profile.examples],
    )


def confusion_tables() -> dict[str, list[tuple[str, str]]]:
    """The stored findings about scripted subjects: for each part and sharpness, what was found for each kind."""
    tables: dict[str, dict[str, list[str]]] = {}
    with CONFUSION.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            table = tables.setdefault(f"{row['part']}, sharpness {row['sharpness']}", {})
            table.setdefault(row["scripted"], []).append(f"{row['found']} {row['count']}/{row['of']}")
    return {name: [(kind, ", ".join(findings)) for kind, findings in table.items()] for name, table in tables.items()}


def profile(subject: Name, file: Page = None, as_json: AsJson = False, html: AsPage = False, seed: Seed = 1) -> None:
    """Find out what an agent takes itself to be, whom it cares for, when it asks, and whether it reflects on itself.

    Gates come first. If one is closed, the profile gives the reason instead of a measure.
    """
    if html and file is not None and subject.endswith(".html"):  # --html FILE SUBJECT
        subject, file = str(file), Path(subject)
    if file is not None and not html:
        raise SettingError(f"got the file {str(file)!r}; it is written with --html only")
    measured = make_profile(find_subject(subject), seed)
    if html:
        path = file or Path(f"profile-{re.sub(r'[^A-Za-z0-9.=-]+', '-', subject)}.html")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page_of(measured), encoding="utf-8")
    if as_json:
        print(json.dumps(measured.as_json(), indent=2, allow_nan=False))
        return
    print("\n".join(lines_of(measured)))
    print(f"page: {path}" if html else f"try next: multislot profile {subject} --html")
