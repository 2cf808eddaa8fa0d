"""Settings of the documentation.

Pages are executed when they are built: a block that fails fails the build. So does a public name without a docstring,
or one that no page of the reference holds.
"""

import os
import re
import shutil
import sys
from functools import partial
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent / "hooks"))
import fidelity_table
from ahead import do
from inventories import written
from plain_sources import use_sources
from sources import cache_folder, fingerprint, is_filled, once
from undocumented import sources, undocumented

use_sources()
os.environ["MPLBACKEND"] = "agg"
HERE = Path(__file__).parent

project = "multislot"
author = "The multislot authors"
copyright = "2026, the multislot authors"  # noqa: A001
extensions = [
    "formulas",
    "myst_nb",
    "names",
    "public",
    "sphinx.ext.autodoc",
    "sphinx.ext.intersphinx",
    "sphinx.ext.napoleon",
]
html_theme = "furo"
html_title = "multislot"
html_static_path = ["static"]
html_favicon = "static/icon.svg"
html_css_files = ["pages.css"]
html_copy_source = False
html_math_renderer = "mathml"
exclude_patterns = ["_build", "_pictures", "hooks"]
default_role = "name"
# Several classes have attributes of one name; which one is meant, the signature says.
suppress_warnings = ["ref.python"]

myst_enable_extensions = ["dollarmath", "colon_fence", "attrs_inline"]
myst_heading_anchors = 3
nb_custom_formats = {".md": ["cells.read_page", {}, False]}
nb_code_prompt_show = "Show the code"
nb_code_prompt_hide = "Hide the code"
nb_execution_mode = "cache"
nb_execution_cache_path = str(cache_folder(HERE / "_build" / "executed"))
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 900
nb_merge_streams = True
nb_output_stderr = "remove-warn"

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_mock_imports = ["supersuit"]
napoleon_use_ivar = True
intersphinx_mapping = written(HERE / "inventories.csv", HERE / "_build" / "inventories")


LIVE = re.compile(r"^!\[(?P<words>[^\]]*)\]\([^)]*\)\n<!-- explorer: (?P<asked>\S+) -->", re.MULTILINE)
"""A picture in whose place the site shows the explorer."""
FRAME = """```{{raw}} html
<iframe class="live" loading="lazy" title="{words}" src="../explorer/index.html#embed=1&amp;{asked}"></iframe>
<p><a href="../explorer/index.html#{asked}">Open this story in the explorer.</a></p>
```"""


def show_sliders(app: Sphinx, name: str, source: list[str]) -> None:
    """Put the explorer into a page of the site, which has it next to its pages."""
    if app.tags.has("site"):
        source[0] = LIVE.sub(
            lambda found: FRAME.format(
                words=" ".join(found["words"].split()), asked=found["asked"].replace("&", "&amp;")
            ),
            source[0],
        )


def show_fidelity(app: Sphinx, name: str, source: list[str]) -> None:
    """Put the whole table into the page that sums it up."""
    if name == "fidelity":
        table = fidelity_table.rows(fidelity_table.read_entries(), fidelity_table.read_recorded())
        source[0] = source[0].replace(fidelity_table.HERE, f"```{{raw}} html\n{table}\n```")


def refuse_undocumented(app: Sphinx) -> None:
    missing = [line for path in sources() for line in undocumented(path)]
    if missing:
        raise ExtensionError("public names without a docstring:\n" + "\n".join(missing))


def make_pages(app: Sphinx) -> None:
    """Write the pages of environments and scenarios with their pictures, and execute all blocks."""
    import gallery  # after `use_sources`: it imports the packages

    here, draw = Path(app.srcdir), app.config.draw_gallery
    environments, scenes = here / "environments", here / "gallery"
    from_sources = "import plain_sources; plain_sources.use_sources()"
    results = str(here / "_build" / "results")
    shown = f"import gallery; gallery.write({str(scenes)!r}, {results!r}, {draw!r})"
    runs = gallery.names() if draw and not is_filled(scenes, shown) else []
    tasks = [
        partial(once, environments, f"{from_sources}; import environments; environments.write({str(environments)!r})"),
        *(partial(gallery.make, name, results) for name in runs),
    ]
    do(tasks, here, nb_execution_cache_path, nb_execution_timeout)
    once(scenes, shown)


def copy_cards(app: Sphinx, error: Exception | None) -> None:
    """Copy the pictures of the gallery's cards, which are written as HTML."""
    if error is None and app.builder.format == "html":
        for picture in sorted((Path(app.srcdir) / "gallery").glob("*.png")):
            shutil.copy(picture, Path(app.outdir) / "gallery" / picture.name)


def setup(app: Sphinx) -> None:
    app.add_config_value("code_of_packages", fingerprint(), "env")  # other code: read and execute every page again
    app.add_config_value("draw_gallery", True, "env", bool)  # -D draw_gallery=0 runs no scenario
    app.connect("source-read", show_sliders)
    app.connect("build-finished", copy_cards)
    app.connect("source-read", show_fidelity)
    app.connect("builder-inited", refuse_undocumented, priority=0)
    app.connect("builder-inited", make_pages, priority=2)  # after all that may refuse to build
