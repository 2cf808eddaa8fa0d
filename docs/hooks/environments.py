"""Write the pages of environments, a section for each, from its class, with its picture, and an index of them all.

Each family has a page. Extended environments are many: their page lists them by what they are about, and those that
share an idea, variants included, share a page.
"""

import inspect
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from statistics import fmean
from typing import Any

import pettingzoo
from matplotlib.image import imsave
from notes import NOTES

import considerate.zoo  # noqa: F401 (registers)
import extenv
import multislot.bayes.zoo
from considerate.craftworld import PAPER_TASKS
from multislot.agents import ConstantAgent, QLearner, RandomAgent
from multislot.drawing.showing import new_figure
from multislot.statistics import standard_error
from multislot.zoo.registration import ENTRIES, registered

FAMILIES = {
    "multislot": "Copies and slots",
    "extenv": "Extended environments",
    "considerate": "Craft-World",
}
MOST_NAMED = 8
EPISODES = 5
LONGEST = 200
STEPS, SLOW_STEPS, SEEDS = 300, 60, 3
PLAIN = str.maketrans({"[": r"\[", "]": r"\]", "*": r"\*", "_": r"\_", "<": "&lt;"})


@dataclass(frozen=True)
class Page:
    """One environment's page.

    Attributes:
        name: its id.
        title: what happens there, in a line.
        text: what its class or file says.
        made: an environment, for its spaces and ends.
        parameters: rows of name, default and meaning.
        draw: draws its picture.
        idea: what it shares with others of its family, if the family has several pages.
    """

    name: str
    title: str
    text: str
    made: Any
    parameters: list[tuple[str, str, str]]
    draw: Callable[[Path], None]
    idea: str = ""

    @property
    def file(self) -> str:
        """The name of the page's file, without its ending."""
        return self.name.replace("/", "-").lower()

    @property
    def family(self) -> str:
        """The package that registers it."""
        return self.name.partition("/")[0]

    @property
    def group(self) -> str:
        """The name of the file that its section is in."""
        return self.idea or self.family

    @property
    def short(self) -> str:
        """The id without its family and version."""
        return re.sub(r"-v\d+$", "", self.name.partition("/")[2])


def write(place: str) -> None:
    """Write everything into a folder; a file whose content stays is not touched."""
    folder = Path(place)
    folder.mkdir(parents=True, exist_ok=True)
    groups: dict[str, list[Page]] = {}
    for page in every_page():
        page.draw(folder / f"{page.file}.png")
        groups.setdefault(page.group, []).append(page)
    for group, pages in groups.items():
        keep(folder / f"{group}.md", group_page(group, pages))
    for family, title in FAMILIES.items():
        own = {group: pages for group, pages in groups.items() if pages[0].family == family}
        if len(own) > 1:
            keep(folder / f"{family}.md", family_page(title, own))
    keep(folder / "index.md", index(groups))
    for page in folder.glob("*.md"):
        if page.stem not in {*groups, *FAMILIES, "index"}:  # of environments that have moved or gone
            page.unlink()


def keep(path: Path, text: str) -> None:
    """Write a text, unless it stands there already."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def every_page() -> Iterable[Page]:
    """Yield the pages, families in order."""
    known = {**ENTRIES["parallel"], **ENTRIES["aec"]}
    for family in FAMILIES:
        for name in known:
            if name.startswith(f"{family}/"):
                yield MAKERS[family](name)


def slots_page(name: str) -> Page:
    """Return the page of a world of the engine."""
    if name == multislot.bayes.zoo.CLIFF_ID:
        factory, made = multislot.bayes.zoo.mentor_cliff, pettingzoo.make("aec", name, render_mode="rgb_array")
        return Page(name, summary(factory), described(factory), made, parameters(factory), partial(pixels, made))
    given = {"path": "branch-line"} if name.startswith("multislot/file-") else {}
    made = pettingzoo.make("parallel", name, **given)
    factory = factory_of(name)
    kernel = made.unwrapped.stage.world.kernel.kernel  # the file, inside its checks
    form = getattr(kernel, "form", None)  # what the file says of itself, if the world has a file
    title, question, moral = (getattr(form, text, "") for text in ("title", "question", "moral"))
    text = "\n\n".join(filter(None, [question and f"*{question}*", described(factory), moral]))
    return Page(name, title or summary(factory), text, made, parameters(factory), partial(lineage, made))


def extended_page(name: str) -> Page:
    """Return the page of an extended environment."""
    short = re.sub(r"-v\d+$", "", name.partition("/")[2])
    made = pettingzoo.make("parallel", name)
    kind = type(extenv.make(short))
    text = inspect.getdoc(kind) or ""
    rows = [("agent_factory", "QLearner", "makes the simulated copies"), ("opposite", "False", "negate every reward")]
    return Page(name, text.partition("\n")[0], without_args(text), made, rows, partial(scores, short), idea_of(kind))


def idea_of(kind: type) -> str:
    """Return the name of the module that an extended environment is written in."""
    return kind.__module__.rpartition(".")[2]


def craft_page(name: str) -> Page:
    """Return the page of a Craft-World task."""
    short = re.sub(r"-v\d+$", "", name.partition("/")[2])
    made = pettingzoo.make("parallel", name, render_mode="rgb_array")
    known = made.unwrapped.stage.world.task
    kind = type(made.unwrapped.stage.world)
    others = ", ".join(known.agents[1:])
    source = f" ({known.source})" if known.source else ""
    told = f"{known.title[0].upper()}{known.title[1:]}{source}. Others: {others}."
    own = [("task", short, "the task, or its name")] if short in PAPER_TASKS else parameters(factory_of(name))
    text = f"{told}\n\n{without_args(inspect.getdoc(kind))}"
    return Page(
        name,
        known.title,
        text,
        made,
        own,
        partial(pixels, made),
    )


MAKERS = {"multislot": slots_page, "extenv": extended_page, "considerate": craft_page}


def factory_of(name: str) -> Any:
    """Return what makes an environment's world."""
    world = registered(name).world
    return resolve_name(world) if isinstance(world, str) else world


def summary(factory: Any) -> str:
    """Return the first line of a docstring."""
    return (inspect.getdoc(factory) or "").partition("\n")[0].removeprefix("Return ").rstrip(".")


def described(factory: Any) -> str:
    """Return a docstring without its first verb and its sections."""
    text = without_args(inspect.getdoc(factory) or "").removeprefix("Return ")
    return text[:1].upper() + text[1:]


def without_args(text: str | None) -> str:
    """Return a docstring up to its sections, in Markdown."""
    plain = re.split(r"^(?:Args|Raises|Attributes|Returns):$", text or "", maxsplit=1, flags=re.MULTILINE)[0]
    # A dollar sign would begin a formula.
    return re.sub(r"``([^`]*)``", r"`\1`", plain.strip()).replace("$", r"\$")


def parameters(factory: Any) -> list[tuple[str, str, str]]:
    """Return name, default and meaning of each parameter."""
    meanings = dict(re.findall(r"^    (\w+): (.*?)(?=^    \w+:|^\S|\Z)", inspect.getdoc(factory) or "", re.M | re.S))
    rows = []
    for name, parameter in inspect.signature(factory).parameters.items():
        if parameter.kind is not parameter.VAR_KEYWORD:
            default = "required" if parameter.default is parameter.empty else str(parameter.default)
            rows.append((name, default, " ".join(meanings.get(name, "").split())))
    return rows


def section(page: Page) -> str:
    """Return the section of an environment as Markdown."""
    kind = "parallel" if page.name in ENTRIES["parallel"] else "aec"
    rows = [("parameter", "default", "meaning"), *page.parameters, *view_parameters(kind, cycles_of(page))]
    text = page.text.removeprefix(page.title).removeprefix(".").strip()
    lines = [
        f"## {page.short}",
        page.title if page.title.endswith((".", "?")) else f"{page.title[:1].upper()}{page.title[1:]}.",
        f"```{{image}} {page.file}.png\n:alt: {CAPTIONS[page.family]}\n:width: 520px\n```",
        text,
        making(page.name, kind),
        f'Also in Gymnasium: `gymnasium.make("{page.name}")`.' if page.name in ENTRIES["single"] else "",
        spaces(page.made),
        table(rows),
        f"**When it ends.** {ends(page)}",
        "\n".join(f"- {note}" for note in NOTES.get(page.short, ())),
    ]
    return "\n\n".join(line for line in lines if line)


def group_page(group: str, pages: list[Page]) -> str:
    """Return the page of environments that share a family or an idea."""
    family = pages[0].family
    title = FAMILIES.get(group) or group.replace("_", " ").capitalize()
    front = "---\norphan: true\n---\n\n" if group not in FAMILIES else ""
    notes = "\n".join(f"- {note}" for note in NOTES[f"{family}/"])
    parts = [f"{front}# {title}", f"*Pictures: {CAPTIONS[family]}*", notes, *map(section, pages)]
    return "\n\n".join(parts) + "\n"


CAPTIONS = {
    "multislot": "Who was copied from whom in an episode of random actions: time downwards, slots across.",
    "extenv": "Reward per step of some agents, with standard errors, here and in the opposite environment.",
    "considerate": "The map with what lies on it.",
}


def making(name: str, kind: str) -> str:
    """Return the lines that make an environment."""
    given = ', path="branch-line"' if name.startswith("multislot/file-") else ""
    return (
        "```{code-block} python\nimport pettingzoo\n\n"
        f"import {name.partition('/')[0]}  # registers the environment\n\n"
        f'env = pettingzoo.make("{kind}", "{name}"{given})\n```'
    )


def view_parameters(kind: str, cycles: int) -> list[tuple[str, str, str]]:
    """Return the parameters that every environment of a registry has."""
    view = ("view", "dynamic", "`dynamic`: an agent for each occupant; `fixed`: an agent for each slot")
    common = [
        ("max_cycles", str(cycles), "steps after which an episode is truncated"),
        ("render_mode", "None", "`human`, `ansi` or `rgb_array`"),
    ]
    return [view, *common] if kind == "parallel" else common


def cycles_of(page: Page) -> int:
    """Return after how many steps an episode is truncated by default."""
    return int(page.made.unwrapped.stage.max_cycles)


def spaces(made: Any) -> str:
    """Return the spaces in words."""
    agent = (made.possible_agents or ["copy_0"])[0]
    world = getattr(getattr(made.unwrapped, "stage", None), "world", None)
    seen, done = made.observation_space(agent), made.action_space(agent)
    lines = [f"- **Observations**: `{seen}`", f"- **Actions**: `{done}`"]
    if world is not None:
        lines[0] += named(world.n_observations, world.describe)
        lines[1] += named(world.n_actions, world.describe_action)
    agents = ", ".join(f"`{name}`" for name in made.possible_agents[:3])
    more = f" … `{made.possible_agents[-1]}`" if len(made.possible_agents) > 3 else ""
    return "\n".join([f"- **Agents**: {agents}{more}", *lines])


def named(count: int, describe: Callable[[int], str]) -> str:
    """Return what indices mean, unless they mean themselves."""
    meanings = [(index, describe(index)) for index in range(min(count, MOST_NAMED))]
    if all(meaning == str(index) for index, meaning in meanings):
        return ""
    more = f"; and {count - MOST_NAMED} more" if count > MOST_NAMED else ""
    return ": " + "; ".join(f"{index} {meaning.translate(PLAIN)}" for index, meaning in meanings) + more


def ends(page: Page) -> str:
    """Return what a few episodes of random actions say about ends."""
    made = page.made
    cycles = cycles_of(page)
    if page.name == multislot.bayes.zoo.CLIFF_ID or page.name.startswith("extenv/"):
        return f"Never by itself. An episode is truncated after `max_cycles` steps ({cycles})."
    ended = [made_end(made, seed) for seed in range(EPISODES)]
    seen = [step for step in ended if step]
    if not seen:
        return f"No episode of random actions ended by itself. It is truncated after `max_cycles` steps ({cycles})."
    when = " to ".join(map(str, dict.fromkeys((min(seen), max(seen)))))
    words = f"Of {EPISODES} episodes of random actions {len(seen)} ended by themselves, after {when} steps"
    return f"{words}. Others are truncated after `max_cycles` steps ({cycles})."


def made_end(made: Any, seed: int) -> int | None:
    """Return after how many random steps an episode ended by itself; None if it was cut off."""
    made.reset(seed=seed)
    for agent in made.possible_agents[:1]:
        made.action_space(agent).seed(seed)
    for step in range(1, LONGEST + 1):
        *_, truncated, _ = made.step({agent: made.action_space(agent).sample() for agent in made.agents})
        if not made.agents:
            return None if any(truncated.values()) else step
    return None


def table(rows: Iterable[tuple[str, ...]]) -> str:
    """Return rows as a Markdown table, the first as its head."""
    head, *body = [[cell.replace("|", r"\|") or " " for cell in row] for row in rows]
    shown = [head, ["---"] * len(head), *([row[0] if "`" in row[0] else f"`{row[0]}`", *row[1:]] for row in body)]
    return "\n".join(f"| {' | '.join(row)} |" for row in shown)


def listed(pages: list[Page]) -> str:
    """Return a table of environments that links to their sections."""
    rows = [(f"`{page.name}`", f"[{page.title.rstrip('.')}]({page.group}.md#{page.short.lower()})") for page in pages]
    return table([("id", "what happens"), *rows])


def family_page(title: str, groups: dict[str, list[Page]]) -> str:
    """Return the page of a family whose environments have several pages."""
    parts = [f"# {title}"]
    for group, pages in groups.items():
        parts += [f"## {group.replace('_', ' ').capitalize()}", listed(pages)]
    return "\n\n".join(parts) + "\n"


def index(groups: dict[str, list[Page]]) -> str:
    """Return the page above all pages."""
    parts = [
        "# Environments",
        "Every world is registered with PettingZoo, and with Gymnasium if one agent stays in one slot. Importing "
        "`multislot`, `extenv` or `considerate` registers the family. The pages are written from the environments' "
        "own classes when the documentation is built.",
    ]
    for family, title in FAMILIES.items():
        count = sum(len(pages) for pages in groups.values() if pages[0].family == family)
        parts.append(f"- [{title}]({family}.md): {count} environments")
    files = "\n".join(FAMILIES)
    parts.append(f"```{{toctree}}\n:hidden:\n:maxdepth: 1\n\n{files}\n```")
    return "\n\n".join(parts) + "\n"


def lineage(made: Any, path: Path) -> None:
    """Draw the lineage of an episode of random actions."""
    made.reset(seed=3)
    made.action_space(made.agents[0]).seed(3)
    for _ in range(8):
        if made.agents and len(made.agents) < MOST_NAMED:
            made.step({agent: made.action_space(agent).sample() for agent in made.agents})
    figure = new_figure(4.5, 3.4)
    made.unwrapped.trace.lineage.plot(figure.subplots())
    figure.savefig(path, dpi=110)


def pixels(made: Any, path: Path) -> None:
    """Save what the environment itself draws."""
    made.reset(seed=0)
    imsave(path, made.render())


def scores(name: str, path: Path) -> None:
    """Draw what some agents get in an extended environment and in its opposite."""
    steps = SLOW_STEPS if name in extenv.SLOW else STEPS
    agents = {
        "always 0": partial(ConstantAgent, action=0),
        "random": RandomAgent,
        "Q-learner": QLearner,
        "its reality check": extenv.reality_check(QLearner),
    }
    figure = new_figure(6.4, 2.6)
    panels = figure.subplots(1, 2, sharey=True)
    for axes, opposite in zip(panels, (False, True), strict=True):
        found = [mean_and_error(name, factory, steps, opposite) for factory in agents.values()]
        axes.barh(list(agents), [mean for mean, _ in found], xerr=[error for _, error in found], color="#4477aa")
        axes.axvline(0, color="black", linewidth=0.8)
        axes.set(title="opposite" if opposite else name, xlabel="reward per step")
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].invert_yaxis()
    figure.savefig(path, dpi=110)


def mean_and_error(name: str, factory: Any, steps: int, opposite: bool) -> tuple[float, float]:
    """Return mean reward per step over seeds, and its standard error."""
    runs = [extenv.run(name, factory, steps=steps, seed=seed, opposite=opposite) for seed in range(1, SEEDS + 1)]
    rewards = [one.mean_reward for one in runs]
    return fmean(rewards), standard_error(rewards)
