"""Read every Markdown page as a notebook: its Python blocks are executed, and what they print and draw stands below.

Pages stay plain Markdown. A block that begins with three backticks and ``python`` is a cell; the tests run the same
blocks (`tests/test_documents.py`). After a line ``<!-- folded -->`` its output is shown, and its code on a click. A
``{code-block} python`` is shown and not executed. A block that begins with ``toml NAME`` is a file: the cells below
find it in their folder.
"""

import re
from typing import Any

from myst_nb.core.read import read_myst_markdown_notebook

FOLDED = re.compile(r"^<!-- folded -->\n```python$", re.MULTILINE)
BLOCK = re.compile(r"^```python$", re.MULTILINE)
FILE = re.compile(r"^```toml (\S+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FRONT = "file_format: mystnb\nkernelspec:\n  name: python3\n"
# Figures are shown where a block ends with one, and only there: nothing is drawn twice. What a block prints is sent as
# one piece, not in the middle of a line.
SETUP = """
```{code-cell} python
:tags: [remove-cell]
import sys
from IPython.core.pylabtools import select_figure_formats
select_figure_formats(get_ipython(), {"svg"})
sys.stdout.flush_interval = 3600
```

"""


def read_page(text: str) -> Any:
    """Return a page as a notebook; one without Python blocks has no cells and is not executed."""
    if not BLOCK.search(text):
        return read_myst_markdown_notebook(text, add_source_map=True)
    head, body = front_matter(text)
    body = FOLDED.sub("```{code-cell} python\n:tags: [hide-input]\n", body)
    body = FILE.sub(_show_and_write, BLOCK.sub("```{code-cell} python", body))
    return read_myst_markdown_notebook(f"---\n{FRONT}{head}---\n{SETUP}{body}", add_source_map=True)


def files_of(text: str) -> dict[str, str]:
    """Files that a page shows, by name."""
    return dict(FILE.findall(text))


def _show_and_write(block: re.Match[str]) -> str:
    name, content = block.groups()
    write = f"```{{code-cell}} python\n:tags: [remove-cell]\nopen({name!r}, 'w').write({content!r})\n```"
    return f"```{{code-block}} toml\n:caption: {name}\n\n{content}```\n\n{write}"


def front_matter(text: str) -> tuple[str, str]:
    """Return what stands between two lines ``---`` at the beginning, and the rest."""
    if not text.startswith("---\n"):
        return "", text
    head, _, body = text.removeprefix("---\n").partition("\n---\n")
    return head + "\n", body
