"""Run many scenarios one after the other, and summarize the results in a few lines."""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from multislot.cells import ClusterError, StoreError
from multislot.errors import MissingExtraError, MultislotError
from multislot.statistics import UNDECIDED
from scenarios import report
from scenarios.lab.registry import Scenario
from scenarios.lab.runner import RunOutcome
from scenarios.lab.table import COUNTED, Headline, headline
from scenarios.report.shelf import State

MOST_NAMES = 6
"""The largest number of scenarios that a line names; the report names all."""


@dataclass
class Reproduction:
    """The outcomes of scenarios that ran, and, by name, why others were left out or failed."""

    outcomes: list[RunOutcome] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def headline(self) -> Headline:
        """The counts of everything."""
        return headline(row for outcome in self.outcomes for row in outcome.rows)

    @property
    def seconds(self) -> float:
        """How long it took."""
        return sum(outcome.seconds for outcome in self.outcomes)

    @property
    def notes(self) -> list[str]:
        """Notes to print, one sentence each."""
        notes = dict.fromkeys(note for outcome in self.outcomes for note in outcome.notes)
        return [*notes, *self.left_out.values(), *self.failed.values()]


def reproduce(
    scenarios: Sequence[Scenario], preset: str, run: Callable[[Scenario, object], RunOutcome], results: Path
) -> Reproduction:
    """Run scenarios one after the other, and print on standard error how each ended.

    Args:
        scenarios: what to run.
        preset: at which settings, ``DEFAULT``, ``QUICK`` or ``FULL``.
        run: runs a scenario with settings.
        results: the folder of results, where notes are written.

    Raises:
        StoreError: results cannot be kept, for any of them.
        ClusterError: the cluster was lost.
    """
    reproduction = Reproduction()
    for number, scenario in enumerate(scenarios, start=1):
        name = scenario.name
        state: State = "left_out"
        reason, line = "it runs only with --full", f"{name} runs only with --full"
        if preset != "QUICK" or scenario.in_quick:
            try:
                outcome = run(scenario, scenario.settings(preset=preset))
                reproduction.outcomes.append(outcome)
                state, reason = "shown", outcome.folder.name
                line = f"{name}: {headline(outcome.rows)}, {outcome.seconds:.1f} s"
            except (StoreError, ClusterError):
                raise
            except MissingExtraError as error:
                reason, line = str(error), f"{name} was left out: {error}"
            except MultislotError as error:
                state, reason, line = "failed", str(error), f"{name} failed: {error}"
        if state == "left_out":
            reproduction.left_out[name] = line
        elif state == "failed":
            reproduction.failed[name] = line
        report.note(results, name, state, reason)
        print(f"[{number}/{len(scenarios)}] {line}", file=sys.stderr, flush=True)
    return reproduction


def summary(reproduction: Reproduction, page: Path) -> list[str]:
    """Lines of a summary: what differs, a line for each kind, what is not decided or was not run, and the page."""
    counted = reproduction.headline
    compared = counted.everything.total
    number = len(reproduction.outcomes)
    ran = f"{number} experiment{'s' * (number != 1)} in {reproduction.seconds:.0f} s"
    differing = _count_rows(reproduction, "differs")
    differs = f"DIFFERS: {differing}" if differing else "nothing differs"
    lines = [f"{ran}, {compared} rows compared: {differs if compared else 'nothing was compared'}"]
    for kind, (name, verb) in COUNTED.items():
        lines.append(f"  {name:<18}{counted.counts[kind].describe(verb) or 'none'}")
    lines.append(f"  {'measured':<18}{counted.measured}, compared with nothing")
    lines.append(f"{UNDECIDED}: {_count_rows(reproduction, 'undecided') or 'nothing'}")
    not_run = [f"FAILED: {_names(reproduction.failed)}"] if reproduction.failed else []
    not_run += [f"left out: {_names(reproduction.left_out)}"] if reproduction.left_out else []
    return [*lines, "; ".join(not_run) or "failed or left out: none", f"report: {page}"]


def _count_rows(reproduction: Reproduction, state: str) -> str:
    """The scenarios that have rows in a state, each with their number."""
    counted = Counter(
        outcome.scenario.name for outcome in reproduction.outcomes for row in outcome.rows if row.state == state
    )
    return _names(f"{name} ({number})" for name, number in counted.items())


def _names(names: Iterable[str]) -> str:
    listed = list(names)
    more = len(listed) - MOST_NAMES
    return ", ".join(listed[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
