"""Builds the compiled modules with mypyc; without a compiler the same sources run interpreted.

``COMPILED`` is the one list of modules that are compiled. ``MULTISLOT_INTERPRETED=1`` skips compiling. ``ONE_HOT`` is
in C: without it Stable-Baselines3 trains the deep agents.
"""

import os
import sys
from hashlib import sha256
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

COMPILED = [
    "multislot/engine/agent.py",
    "multislot/engine/stream.py",
    "multislot/agents/tabular.py",
    "extenv/environment.py",
    "extenv/checked_agent.py",
    "extenv/catalogue/newcomb.py",
    "extenv/catalogue/other_memories.py",
    "extenv/catalogue/other_rewards.py",
    "extenv/catalogue/other_roles.py",
    "extenv/catalogue/other_selves.py",
    "extenv/catalogue/self_knowledge.py",
    "considerate/craftworld/qlearning.py",
]
# Strict type checking is `make lint`'s: a build looks at these modules alone, so that it is quick, and the same where
# numpy and the rest are not installed yet.
CHECKS = ["--config-file=", "--follow-imports=skip", "--ignore-missing-imports"]
# Single precision with the same bits on every machine: nothing fused, no function that sets errno.
ONE_HOT = Extension(
    "multislot.agents._one_hot",
    [f"multislot/agents/one_hot/{name}.c" for name in ("network", "learner", "module")],
    depends=[f"multislot/agents/one_hot/{name}.h" for name in ("network", "learner", "twister")],
    extra_compile_args=["-O3", "-ffp-contract=off", "-fno-math-errno"],
)
ONE_HOT_SOURCES = [*ONE_HOT.sources, *ONE_HOT.depends]
HASHES = "multislot/_compiled.hashes"
"""What the compiled modules beside the sources were built from: a line for each source, as ``sha256sum`` writes it."""
FALLBACK = "multislot: not compiled ({reason}); the same sources run interpreted: same results, about 20x slower."
NO_ONE_HOT = "multislot: no one-hot trainer ({reason}); Stable-Baselines3 trains deep agents, about 100x slower."


class OptionalBuild(build_ext):
    """Builds what it can: a missing or failing compiler is said once and the sources stay interpreted."""

    def run(self):
        self.force = True  # all modules are one library
        self.hashes = {path: sha256(Path(path).read_bytes()).hexdigest() for path in [*COMPILED, *ONE_HOT_SOURCES]}
        try:
            super().run()
        except Exception as error:  # any failure of a compiler means the same: run interpreted
            print(FALLBACK.format(reason=error), file=sys.stderr)
            self.extensions = []

    def build_extension(self, extension):
        extension.optional = False
        try:
            super().build_extension(extension)
        except Exception as error:
            if extension is not ONE_HOT:
                raise
            print(NO_ONE_HOT.format(reason=error), file=sys.stderr)
            self.extensions = [other for other in self.extensions if other is not ONE_HOT]

    def copy_extensions_to_source(self):
        if self.extensions:
            super().copy_extensions_to_source()
            built = [] if self.extensions == [ONE_HOT] else list(COMPILED)
            built += ONE_HOT_SOURCES if ONE_HOT in self.extensions else []
            Path(HASHES).write_text("".join(f"{self.hashes[path]}  {path}\n" for path in built))


class HonestWheel(bdist_wheel):
    """A wheel into which nothing was compiled is for any machine, and its name says so."""

    def run(self):
        self.run_command("build_ext")
        if not self.get_finalized_command("build_ext").extensions:
            self.distribution.ext_modules, self.root_is_pure = [], True
        super().run()


def extensions():
    asks_for_metadata = len(sys.argv) > 1 and sys.argv[1] in ("egg_info", "dist_info")
    if asks_for_metadata or os.environ.get("MULTISLOT_INTERPRETED") == "1":
        return []
    try:
        from mypyc.build import mypycify

        modules = mypycify([*CHECKS, *COMPILED], group_name="multislot._compiled", opt_level="3", debug_level="0")
        return [*modules, ONE_HOT]
    except (ImportError, SystemExit) as error:  # mypyc exits where it finds a fault in a module
        print(FALLBACK.format(reason=error), file=sys.stderr)
        return []


setup(ext_modules=extensions(), cmdclass={"build_ext": OptionalBuild, "bdist_wheel": HonestWheel})
