"""The table of ``language``: the measure, its controls, every environment, the stories, and what was asked."""

from collections.abc import Sequence
from statistics import fmean, stdev

from multislot.statistics import ROUNDING, detectable_difference, student
from scenarios.lab.table import Row, interval_row, share_row
from scenarios.self_reflection.language.asking import asked_by
from scenarios.self_reflection.language.lives import (
    CONTROL_ENVIRONMENTS,
    CONTROL_STEPS,
    EXCHANGED,
    NUMBERS,
    PLAIN,
    STORIES,
    TOLD,
    UNPAID,
    WORDS,
    Cell,
    Results,
    compared,
    measured,
    points_of,
    shares,
    tallied,
)
from scenarios.self_reflection.language.settings import FICKLE, FIRST_LETTER, NONSENSE, SCRIPTED, Settings
from scenarios.self_reflection.measuring import TABULAR, effect

MEASURE = "self-reflection measure"
SEEDS_SHOWN = (3, 5, 10, 20, 50)
IN_PROCESS = "the same agent in the process: it reads all its history out of the prompt"
NO_REWARD = "Alexander et al. 2021, section 6: who learns nothing from rewards measures 0"
READS_ALL = "it reads its history out of the prompt, whatever its words"
QUANTITIES = {"newcomb": "share of turns with one box", "crying-baby": "share of turns on which the baby laughs"}
TALLIED = {
    "prompts": "prompts",
    "input_tokens": "input tokens",
    "output_tokens": "output tokens",
    "invalid": "answers that could not be read",
    "fallbacks": "prompts after which it acted at random",
}


def table(settings: Settings, results: Results) -> list[Row]:
    """Return all rows; where nobody was asked, only what would be."""
    if settings.dry:
        return asked_rows(settings, results, "would be asked")
    return [
        *measure_rows(settings, results),
        *difference_rows(settings, results),
        *story_rows(settings, results),
        *control_rows(settings, results),
        *asked_rows(settings, results, "asked"),
        *power_rows(settings, results),
        *environment_rows(settings, results),
    ]


def is_exact(settings: Settings) -> bool:
    """Return whether a known agent stands behind the model and is shown all that it lived."""
    return settings.model.removeprefix(SCRIPTED) in TABULAR and settings.shown >= max(settings.steps, settings.turns)


def common_of(settings: Settings) -> str:
    """Return the settings that move every measure."""
    part = "" if settings.environments == Settings().environments else f", {len(settings.environments)} environments"
    return f"{settings.steps} steps, {settings.seeds} seeds{part}"


def by_seed(
    settings: Settings, results: Results, variant: str = PLAIN, part: str = "totals", point: int = -1
) -> list[float]:
    """Return the model's measure with one variant, one number a seed."""
    found = measured(results, settings.model, part, point, variant=variant, asked=asked_by(settings))
    return list(found.by_seed.values())


def beside(settings: Settings, results: Results, agent: str, point: int = -1) -> list[float]:
    """Return the measure of a tabular agent, one number a seed."""
    return list(measured(results, agent, "totals", point, agent=agent).by_seed.values())


def measure_rows(settings: Settings, results: Results) -> list[Row]:
    """Return the measure of the model after each quarter, of its reality check, and of the tabular agents."""
    rows = []
    for point, steps in enumerate(points_of(settings.steps)):
        common = common_of(settings).replace(f"{settings.steps} steps", f"{steps} steps")
        behind = settings.model.removeprefix(SCRIPTED)
        exact = fmean(beside(settings, results, behind, point)) if is_exact(settings) else None
        rows.append(
            mean_of(MEASURE, settings.model, common, by_seed(settings, results, point=point), exact, IN_PROCESS)
        )
    common = common_of(settings)
    rows.append(mean_of(MEASURE, f"RC({settings.model})", common, by_seed(settings, results, part="checked")))
    for variant, name in ((TOLD, "told of copies"), (EXCHANGED, "letters exchanged")):
        rows.append(mean_of(MEASURE, f"{settings.model}, {name}", common, by_seed(settings, results, variant)))
    rows += [mean_of(MEASURE, agent, common, beside(settings, results, agent)) for agent in compared(settings)]
    unpaid = by_seed(settings, results, UNPAID)
    case = f"{settings.model}, rewards drawn at random, {common}"
    return [
        *rows,
        Row(MEASURE, case, fmean(unpaid) + 0.0, paper=0.0, tolerance=ROUNDING, kind="control", source=NO_REWARD),
    ]


def difference_rows(settings: Settings, results: Results) -> list[Row]:
    """Return what the reality check, a sentence on copies, and other letters change in the measure, seed by seed."""
    plain = by_seed(settings, results)
    others = {
        "reality check − agent": by_seed(settings, results, part="checked"),
        "told of copies − plain": by_seed(settings, results, TOLD),
        "letters exchanged − drawn": by_seed(settings, results, EXCHANGED),
        **{f"model − {agent}": [-one for one in beside(settings, results, agent)] for agent in settings.agents},
    }
    rows = []
    for name, values in others.items():
        if name.startswith("model"):
            gains = [mine + minus for mine, minus in zip(plain, values, strict=True)]
            exact = None
        else:
            gains = [other - mine for mine, other in zip(plain, values, strict=True)]
            exact = 0.0 if is_exact(settings) and not name.startswith("reality") else None
        case = f"{settings.model}, {name}"
        rows.append(mean_of("difference of measures", case, common_of(settings), gains, exact, READS_ALL))
    return rows


def mean_of(
    quantity: str, case: str, common: str, values: Sequence[float], exact: float | None = None, source: str = ""
) -> Row:
    """Return the row of a mean over seeds with Student's interval, or next to what it must be exactly."""
    mean = fmean(values) + 0.0
    if exact is not None:
        return Row(quantity, f"{case}, {common}", mean, paper=exact + 0.0, tolerance=ROUNDING, case=case, source=source)
    if len(values) == 1:
        return Row(quantity, f"{case}, {common}", mean, case=case)
    return interval_row(quantity, case, common, mean, student(values))


def story_rows(settings: Settings, results: Results) -> list[Row]:
    """Return what the model does in the two stories, in words and in numbers."""
    rows = []
    common = f"{settings.turns} turns, {settings.seeds} seeds"
    for story in STORIES:
        words, numbers = (shares(results, story, skin) for skin in (WORDS, NUMBERS))
        for skin, values in ((WORDS, words), (NUMBERS, numbers)):
            rows.append(mean_of(QUANTITIES[story], f"{settings.model}, {story} in {skin}", common, values))
        gains = [word - plain for word, plain in zip(words, numbers, strict=True)]
        exact = 0.0 if is_exact(settings) else None
        rows.append(
            mean_of(QUANTITIES[story], f"{settings.model}, {story}, words − numbers", common, gains, exact, READS_ALL)
        )
    return rows


def control_rows(settings: Settings, results: Results) -> list[Row]:
    """Return what known models show: one that likes a letter, one that talks nonsense, one that changes its mind."""
    common = f"{CONTROL_STEPS} steps, {settings.seeds} seeds, {len(CONTROL_ENVIRONMENTS)} environments"

    def control(subject: str, variant: str = PLAIN) -> list[list[float]]:
        own = measured(results, subject, variant=variant, asked=asked_by(settings, SCRIPTED + subject))
        return [own.mean_rewards(name, False) for name in CONTROL_ENVIRONMENTS]

    rows = []
    if has(results, FIRST_LETTER):
        changed = control(FIRST_LETTER) != control(FIRST_LETTER, EXCHANGED)
        found = "changes rewards" if changed else "changes nothing"
        case = f"{SCRIPTED}{FIRST_LETTER}, {common}"
        rows.append(Row("exchanging letters", case, found, paper="changes rewards", kind="control"))
    if has(results, NONSENSE):
        tally = tallied(results, SCRIPTED + NONSENSE)
        case = f"{SCRIPTED}{NONSENSE}, {common}"
        share = 2 * tally["fallbacks"] / tally["prompts"]
        rows.append(
            Row("share of questions without an answer", case, share, paper=1.0, kind="control", source="two tries each")
        )
    if has(results, FICKLE):
        asked, differed = again(results, SCRIPTED + FICKLE)
        case = f"{SCRIPTED}{FICKLE}, {common}"
        rows.append(Row(DIFFERS, case, differed / asked, paper=1.0, kind="control"))
    return rows


DIFFERS = "share of answers that differ when asked again"


def has(results: Results, subject: str) -> bool:
    """Return whether a known model was asked as a control."""
    return any(isinstance(cell, Cell) and cell.asked.model == SCRIPTED + subject for cell, _ in results)


def again(results: Results, model: str) -> tuple[int, int]:
    """Return how many prompts a model was asked again, and how often it answered otherwise."""
    pairs = [
        result["again"]
        for cell, result in results
        if isinstance(cell, Cell) and "again" in result and cell.asked.model == model
    ]
    return sum(asked for asked, _ in pairs), sum(differed for _, differed in pairs)


def asked_rows(settings: Settings, results: Results, done: str) -> list[Row]:
    """Return what was asked, or would be, and what came of it."""
    tally, case = (
        tallied(results, settings.model),
        f"{settings.model}, {common_of(settings)}, {settings.turns} turns, all variants",
    )
    if settings.dry:
        rows = [Row(f"{name} that {done}", case, round(tally[key])) for key, name in list(TALLIED.items())[:3]]
        rows.append(Row("calls that would be made", case, round(tally["calls"])))
    else:
        rows = [Row(f"{name}", case, round(tally[key])) for key, name in TALLIED.items()]
        rows.append(Row("seconds of the model", case, round(tally["seconds"], 1)))
        asked, differed = again(results, settings.model)
        if asked:
            rows.append(share_row(DIFFERS, settings.model, common_of(settings), differed, asked))
    if settings.input_price or settings.output_price:
        million = 1e6
        cost = (tally["input_tokens"] * settings.input_price + tally["output_tokens"] * settings.output_price) / million
        rows.append(Row("cost", case, cost))
    return rows


def power_rows(settings: Settings, results: Results) -> list[Row]:
    """Return which true distance of the measure from a given number so many seeds would show four times in five."""
    if settings.seeds < 2:
        return []
    deviation = stdev(by_seed(settings, results))
    return [
        Row(
            "distance of the measure from 0 that is seen with probability 0.8",
            f"{settings.model}, {settings.steps} steps, {seeds} seeds",
            detectable_difference(deviation, seeds),
        )
        for seeds in SEEDS_SHOWN
    ]


def environment_rows(settings: Settings, results: Results) -> list[Row]:
    """Return reward per step in every environment and its opposite, of the model and of its reality check."""
    rows = []
    for name in settings.environments:
        for part, label in (("totals", settings.model), ("checked", f"RC({settings.model})")):
            found = measured(results, label, part, variant=PLAIN, asked=asked_by(settings))
            halves = [found.mean_rewards(name, opposite) for opposite in (False, True)]
            values = [fmean(one) for one in zip(*halves, strict=True)]
            rows.append(mean_of("reward a step, with the opposite", f"{label}, {name}", common_of(settings), values))
    return rows


def story(settings: Settings, results: Results) -> str:
    """Return whose numbers these are, and what so many seeds can show."""
    if settings.dry:
        return "Nobody was asked. Where an answer is not remembered, one was made up: a true run asks about as much."
    lines = []
    if settings.model.startswith(SCRIPTED):
        lines.append(
            f"These are the numbers of a known policy, {settings.model.removeprefix(SCRIPTED)}, behind a server on "
            "this machine; give --set model=NAME --set base_url=ADDRESS to measure a language model."
        )
    told = [b - a for a, b in zip(by_seed(settings, results), by_seed(settings, results, TOLD), strict=True)]
    if settings.seeds > 1:
        lines.append(f"What it gains in the measure if it is told of copies: {effect(told)}.")
        deviation = stdev(by_seed(settings, results))
        lines.append(
            f"Seeds differ by {deviation:.3f} (standard deviation): with {settings.seeds} of them a true difference of "
            f"{detectable_difference(deviation, settings.seeds):.3f} would be seen four times in five, with 20 one of "
            f"{detectable_difference(deviation, 20):.3f}."
        )
    return "\n".join(lines)
