"""Count the words of the pages, and draw sentences from pages and stories at random.

::

    python docs/hooks/words.py                    # words of each page, and in all
    python docs/hooks/words.py --draw 20 --seed 1 # twenty sentences, for somebody who has not read them before

A word is what stands between spaces, code blocks included. The reference is not counted: its words are docstrings.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT))
from multislot.exact import world_named, world_names  # noqa: E402
from scenarios.lab import registry  # noqa: E402

MOST_WORDS = 40_000
SHORTEST = 5
"""Words of the shortest sentence that is drawn."""
NOT_PROSE = re.compile(
    r"^```.*?^```|^\|[^\n]*$|^<!--.*?-->|^!\[.*?\]\(.*?\)|^:::[^\n]*$|^## References\n.*|^#[^\n]*$|^---.*?^---",
    re.DOTALL | re.MULTILINE,
)
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
END = re.compile(r"(?<=[.!?])\s+(?=[A-Z“*`])")


def pages() -> list[Path]:
    """Return the pages of this clone that people read."""
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listed.splitlines() if (ROOT / name).exists() and "reference/" not in name]


def count(page: Path) -> int:
    """Return the number of words of a page."""
    return len(page.read_text(encoding="utf-8").split())


def sentences() -> Iterator[tuple[str, str]]:
    """Yield the sentences of pages and of stories, each with the place where it stands."""
    for page in pages():
        prose = NOT_PROSE.sub("\n\n", page.read_text(encoding="utf-8"))
        for paragraph in re.split(r"\n\s*\n|\n(?=- |\d\. )", prose):
            yield from _split(paragraph, str(page.relative_to(ROOT)))
    for name in world_names():
        world = world_named(name)
        yield from _split(f"{world.form.title}. {world.form.question} {world.form.moral}", f"the world {name}")
    for name, scenario in registry.discover().items():
        yield from _split(f"{scenario.summary} {scenario.moral}", f"the experiment {name}")


def _split(paragraph: str, place: str) -> Iterator[tuple[str, str]]:
    for sentence in END.split(LINK.sub(r"\1", " ".join(paragraph.split())).lstrip("- ")):
        if len(sentence.split()) >= SHORTEST:
            yield sentence, place


def main() -> None:
    """Print the counts, or sentences."""
    parser = argparse.ArgumentParser(description="Count the words of the pages, or draw sentences from them.")
    parser.add_argument("--draw", type=int, default=0, metavar="N", help="draw N sentences instead")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    if asked.draw:
        for number, (sentence, place) in enumerate(Random(asked.seed).sample(list(sentences()), asked.draw), 1):
            print(f"{number}. {sentence}\n   ({place})")
        return
    counts = {page.relative_to(ROOT).as_posix(): count(page) for page in pages()}
    for name, words in sorted(counts.items(), key=lambda item: -item[1]):
        print(f"{words:>7,}  {name}")
    print(f"{sum(counts.values()):>7,}  in all; at most {MOST_WORDS:,}")


if __name__ == "__main__":
    main()
