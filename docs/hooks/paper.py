"""Make a PDF of a page: `python docs/hooks/paper.py docs/deciding.md build/deciding.pdf`.

The page's blocks are executed as when the documentation is built. What they print and draw stays, the code does not.
Pandoc turns the Markdown into Typst, and Typst sets it.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pypandoc
import typst
from cells import read_page
from nbclient import NotebookClient

STYLE = """#set page(paper: "a4", margin: 2.6cm, numbering: "1")
#set text(font: "New Computer Modern", size: 10.5pt)
#set par(justify: true)
#show heading.where(level: 1): it => align(center, text(17pt, it.body)) + v(1em)
#show heading.where(level: 2): set block(above: 1.6em, below: 0.8em)
#show raw.where(block: true): it => align(center, text(8.5pt, it))
#let horizontalrule = line(length: 100%)
"""


def executed(page: Path) -> Any:
    """Return a page as a notebook with the output of its blocks."""
    notebook = read_page(page.read_text(encoding="utf-8"))
    NotebookClient(notebook, timeout=900, kernel_name="python3").execute()
    return notebook


def as_markdown(notebook: Any, folder: Path) -> str:
    """Return the text and the output of a notebook as Markdown; pictures are written into a folder."""
    parts = []
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        for output in cell.outputs:
            if output.output_type == "stream":
                parts.append(f"```\n{output.text.rstrip()}\n```")
            elif "image/svg+xml" in output.get("data", {}):
                (folder / f"{number}.svg").write_text(output.data["image/svg+xml"], encoding="utf-8")
                parts.append(f"![]({number}.svg)")
    return "\n\n".join(parts)


def make(page: Path, pdf: Path) -> None:
    """Write the PDF of a page."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        body = pypandoc.convert_text(as_markdown(executed(page), folder), "typst", format="markdown")
        (folder / "paper.typ").write_text(STYLE + body, encoding="utf-8")
        pdf.parent.mkdir(parents=True, exist_ok=True)
        pdf.write_bytes(typst.compile(str(folder / "paper.typ")))


if __name__ == "__main__":
    make(Path(sys.argv[1]), Path(sys.argv[2]))
