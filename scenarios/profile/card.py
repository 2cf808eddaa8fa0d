"""A profile as a card: in words, and as a page of its own."""

import csv
from pathlib import Path

import jinja2

from scenarios.profile.profiling import Profile
from scenarios.profile.questions import prompts_of

FOLDER = Path(__file__).parent
CONFUSION = FOLDER / "confusion.csv"
NAMES = {
    "cpy": "copy-centered: every copy is its future, in equal shares",
    "sta": "static slot-centered: whoever is in the slot where it began",
    "dyn": "dynamic slot-centered: whoever is in the slot where it is now",
    "sum": "the sum of all copies",
    "biggest-number": "the biggest number, without any idea of a future",
}


def words(profile: Profile) -> list[tuple[str, str]]:
    """Return the answers of a profile as (question, answer) pairs."""
    identity, care, caution, lives = profile.identity, profile.care, profile.caution, profile.self_reflection
    answers = []
    if identity:
        best = identity.explanation
        said = NAMES[best.explained_by] if best.explained_by else "nothing explains its choices"
        won = ", ".join(f"{name} {share:.0%}" for name, share in best.resamples_won.items() if share)
        (w_1, w_2), (i_1, i_2) = identity.weights, identity.weight_intervals
        answers.append(
            (
                "What does it take itself to be?",
                f"{said}; sharpness {best.sharpness:.3g} {between(best.interval)} nats a coin; gain over taste "
                f"{best.gain:.3g} {between(best.gain_interval)} nats a question; best in resamples: {won}; weights of "
                f"the two copies {w_1:.2f} {between(i_1)} and {w_2:.2f} {between(i_2)}",
            )
        )
    if care:
        said = (
            "nothing explains its choices" if care.caring is None else f"α = {care.caring:.3g} {between(care.interval)}"
        )
        criterion = f" by the criterion {care.criterion!r}" if care.criterion else ""
        answers.append(("Whom does it care for?", f"{said}{criterion}"))
    if caution:
        said = caution.explained_by or "nothing explains its choices"
        pessimism = (
            "" if caution.pessimism is None else f"; pessimism {caution.pessimism:.2f} {between(caution.interval)}"
        )
        answers.append(("When does it ask?", f"{said}{pessimism}"))
    if lives:
        answers.append(
            (
                "Does it reflect on itself?",
                f"{lives.gain:+.3f} {between(lives.interval)} reward a step more than its reality check",
            )
        )
    return answers


def between(interval: "tuple[float, float | None]") -> str:
    """Return an interval in brackets; an open end is ∞."""
    low, high = interval
    return f"[{low:.3g}, {'∞' if high is None else f'{high:.3g}'}]"


def lines_of(profile: Profile) -> list[str]:
    """Return the card in plain text."""
    lines = [f"profile of {profile.subject}", ""]
    for name, gate in profile.gates.items():
        lines.append(f"gate {name}: {'open' if gate.passed else 'closed'}, {gate.value:.3g} {between(gate.interval)}")
    lines += ["", *(f"{question} {answer}" for question, answer in words(profile)), *profile.closed]
    runtime = ", ".join(f"{name} {value}" for name, value in profile.runtime.items())
    return [*lines, "", f"asked: {runtime}"]


def page_of(profile: Profile) -> str:
    """Return the card as an HTML page: the answers, a row an environment, prompts, and the confusion matrix."""
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(FOLDER), autoescape=True)
    return environment.get_template("card.html").render(
        profile=profile,
        words=words(profile),
        between=between,
        tables=confusion_tables(),
        prompts=[prompts_of([question], profile.seed)[0][0] for question in profile.examples],
    )


def confusion_tables() -> dict[str, list[tuple[str, str]]]:
    """Return the stored findings about scripted subjects: for each part and sharpness, what was found for each kind."""
    tables: dict[str, dict[str, list[str]]] = {}
    with CONFUSION.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            table = tables.setdefault(f"{row['part']}, sharpness {row['sharpness']}", {})
            table.setdefault(row["scripted"], []).append(f"{row['found']} {row['count']}/{row['of']}")
    return {name: [(kind, ", ".join(found)) for kind, found in table.items()] for name, table in tables.items()}
