"""Makes a checkout ready to be published from an address: the package's links, and the README's, lead there.

Run by the release workflow as ``python .ci/published.py https://github.com/owner/name v0.2.0``; nothing is committed.
"""

import re
import sys
from pathlib import Path

LINK = re.compile(r"(!?\[[^\]]*\])\((?!https?://|#|mailto:)([^)\s]+)\)")
IMAGE = re.compile(r'(<img[^>]*src=")(?!https?://)([^"]+)"')


def linked(text: str, repository: str, version: str) -> str:
    """Return a README whose links into the repository are absolute; pictures lead to the file itself."""
    pages, files = f"{repository}/blob/{version}", f"{repository}/raw/{version}"

    def absolute(found: "re.Match[str]") -> str:
        return f"{found[1]}({files if found[1].startswith('!') else pages}/{found[2]})"

    return IMAGE.sub(rf'\g<1>{files}/\g<2>"', LINK.sub(absolute, text))


def urls(repository: str) -> str:
    """Return the table of addresses for pyproject.toml."""
    places = {"Homepage": "", "Source": "", "Changelog": "/blob/main/CHANGELOG.md", "Issues": "/issues"}
    return "[project.urls]\n" + "".join(f'{name} = "{repository}{place}"\n' for name, place in places.items())


def main(repository: str, version: str) -> None:
    """Rewrite README.md and pyproject.toml."""
    readme, project = Path("README.md"), Path("pyproject.toml")
    readme.write_text(linked(readme.read_text(encoding="utf-8"), repository, version), encoding="utf-8")
    text = project.read_text(encoding="utf-8")
    project.write_text(text.replace("[project.scripts]", f"{urls(repository)}\n[project.scripts]", 1), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
