"""The command ``multislot``, also as ``python -m multislot``.

If another folder called ``scenarios`` is found before the project's, this is said here, and not where the command is.
"""

import sys
from importlib import import_module


def main() -> None:
    """Run the command line of the package ``scenarios``, which is above this one and imported by its name only."""
    scenarios = import_module("scenarios")
    if not hasattr(scenarios, "BELONGS_TO_MULTISLOT"):
        places = ", ".join(getattr(scenarios, "__path__", [])) or getattr(scenarios, "__file__", "unknown")
        print(
            f"multislot: {places} hides multislot's own package 'scenarios'; rename it, or start in another folder",
            file=sys.stderr,
        )
        sys.exit(2)
    import_module("scenarios.lab.cli").run_command()


if __name__ == "__main__":
    main()
