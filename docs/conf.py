"""Settings of the documentation; the build fails where a public name has no docstring."""

import sys
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))
from caring_pictures import draw
from undocumented import PACKAGES, ROOT, sources, undocumented

project = "multislot"
author = "The multislot authors"
copyright = "2026, the multislot authors"  # noqa: A001
extensions = ["myst_nb", "sphinx.ext.apidoc", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = "multislot"
exclude_patterns = ["_build", "_pictures"]
default_role = "code"
# Many scenarios have a Cell of their own; a signature says which by its module.
suppress_warnings = ["ref.python"]
nb_execution_mode = "off"
myst_enable_extensions = ["dollarmath", "colon_fence"]
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "show-inheritance": True, "ignore-module-all": True}
apidoc_module_first = True
napoleon_use_ivar = True
autodoc_mock_imports = ["supersuit"]
apidoc_modules = [
    {"path": str(ROOT / package), "destination": f"api/{package}", "max_depth": 3, "separate_modules": True}
    for package in PACKAGES
]


def refuse_undocumented(app: Sphinx) -> None:
    missing = [line for path in sources() for line in undocumented(path)]
    if missing:
        raise ExtensionError("public names without a docstring:\n" + "\n".join(missing))


def draw_pictures(app: Sphinx) -> None:
    draw(Path(app.srcdir) / "_pictures")


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", refuse_undocumented, priority=0)
    app.connect("builder-inited", draw_pictures, priority=0)
