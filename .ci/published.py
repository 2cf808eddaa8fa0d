"""Makes a checkout ready to be published from an address: the package's links, and the README's, lead there.

Run by the release workflow as ``python .ci/published.py https://github.com/owner/name v0.3.0``; nothing is committed.
"""

import re
import sys
from pathlib import Path

LINK = re.compile(r"(!?\[[^\]]*\])\((?!https?://|#|mailto:)([^)\s]+)\)")
IMAGE = re.compile(r'(<img[^>]*src=")(?!https?://)([^"]+)"')


def linked(text: str, repository: str, version: str) -> str:
    """Make a README's links into the repository absolute; pictures lead to the file, the documentation to its site."""
    pages, files = f"{repository}/blob/{version}", f"{repository}/raw/{version}"

    def absolute(link: "re.Match[str]") -> str:
        if link[2] == "docs/index.md":
            return f"{link[1]}({site(repository)})"
        return f"{link[1]}({files if link[1].startswith('!') else pages}/{link[2]})"

    return IMAGE.sub(rf'\g<1>{files}/\g<2>"', LINK.sub(absolute, text))


def site(repository: str) -> str:
    """Return the address at which the site's workflow publishes, for https://github.com/owner/name."""
    owner, name = repository.rstrip("/").rsplit("/", 2)[-2:]
    return f"https://{owner.lower()}.github.io/{name}/"


def urls(repository: str) -> str:
    """Return the table of addresses for pyproject.toml."""
    documentation = f'Documentation = "{site(repository)}"\n'
    places = {"Homepage": "", "Source": "", "Changelog": "/blob/main/CHANGELOG.md", "Issues": "/issues"}
    return f"[project.urls]\n{documentation}" + "".join(
        f'{name} = "{repository}{place}"\n' for name, place in places.items()
    )


def main(repository: str, version: str) -> None:
    """Rewrite README.md and pyproject.toml."""
    readme, project = Path("README.md"), Path("pyproject.toml")
    readme.write_text(linked(readme.read_text(encoding="utf-8"), repository, version), encoding="utf-8")
    text = project.read_text(encoding="utf-8")
    project.write_text(text.replace("[project.scripts]", f"{urls(repository)}\n[project.scripts]", 1), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
