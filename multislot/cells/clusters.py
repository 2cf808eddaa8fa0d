"""Clusters that start their own workers: SLURM through dask-jobqueue, Kubernetes through dask-kubernetes.

``--cluster slurm:config.yaml`` reads from a file how to start them; ``--cluster tcp://host:8786`` is a scheduler that
runs already. Such a file::

    workers: 20          # or least: 2 and most: 100: Dask then starts workers as needed
    options:             # the arguments of dask_jobqueue.SLURMCluster, or of dask_kubernetes.operator.KubeCluster
      queue: short
      cores: 8
      processes: 8
      memory: 16GB
      walltime: "02:00:00"
"""

import importlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from multislot.checks import checked_instance, known_name, refusal, whole
from multislot.errors import MissingExtraError, SettingError
from multislot.files.foreign import ForeignFileError, read_text

STARTERS = {
    "slurm": ("dask_jobqueue", "SLURMCluster", "cluster"),
    "kubernetes": ("dask_kubernetes.operator", "KubeCluster", "kubernetes"),
}
"""By kind of cluster: the module and class that start its workers, and the extra that installs them."""
MOST_WORKERS = 100_000
LARGEST_FILE = 20_000
MOST_BRACKETS = 1000
"""PyYAML's work grows with the square of their number."""


@dataclass(frozen=True)
class ClusterFile:
    """A cluster as its file describes it.

    Args:
        workers: number of workers; 0 if `least` and `most` are given.
        least: the smallest number of workers.
        most: the largest number; workers are started as needed.
        options: arguments of the class that starts the workers.
    """

    workers: int = 0
    least: int = 0
    most: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("workers", "least", "most"):
            whole(name, getattr(self, name), 0, MOST_WORKERS)
        if bool(self.workers) == bool(self.most):
            raise refusal("workers", self.workers, "a number of workers, or least and most", "give one of the two")
        if self.least > self.most and self.most:
            raise refusal("least", self.least, f"at most {self.most}, the value of most")
        if not isinstance(self.options, Mapping):
            raise refusal("options", self.options, "a table of arguments")


def read_cluster(path: Path) -> ClusterFile:
    """Read a cluster from a YAML file."""
    try:
        import yaml
    except ImportError as error:
        raise MissingExtraError("a cluster's file", "cluster") from error
    try:
        text = read_text(path, LARGEST_FILE)
        if text.count("[") + text.count("{") > MOST_BRACKETS:
            raise SettingError(f"--cluster: {path} has more than {MOST_BRACKETS} brackets; write lists line by line")
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text)):
            raise SettingError(f"--cluster: {path} repeats a part by a name, such as *part; write it out")
        content = yaml.safe_load(text)
    except ForeignFileError as error:
        raise SettingError(f"--cluster: {error}") from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:  # ValueError: a date or a number that cannot be
        raise SettingError(f"--cluster: {path} is not YAML ({' '.join(str(error).split())})") from None
    if not isinstance(content, dict):
        raise SettingError(f"--cluster: {path} has no entries; expected workers and options")
    entries = [field.name for field in fields(ClusterFile)]
    for name in content:
        known_name(f"entry of {path.name}", name, entries)
    try:
        return ClusterFile(**content)
    except SettingError as error:
        raise SettingError(f"--cluster: {path}: {error}") from None


@contextmanager
def open_scheduler(cluster: str) -> Iterator[str]:
    """Yield the address of a cluster's scheduler; ``kind:file`` starts workers.

    Workers that were started here end with the context.
    """
    kind, _, file = checked_instance("cluster", cluster, str).partition(":")
    if kind not in STARTERS:
        yield cluster
        return
    module, name, extra = STARTERS[kind]
    description = read_cluster(Path(file))
    try:
        starter = getattr(importlib.import_module(module), name)
    except ImportError as error:
        raise MissingExtraError(f"--cluster {kind}:…", extra) from error
    try:
        started = starter(**description.options)
    except Exception as error:  # whatever the batch system or the library refuses
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise SettingError(f"--cluster {cluster}: {name} cannot start ({reason})") from error
    with started:
        if description.workers:
            started.scale(description.workers)
        else:
            started.adapt(minimum=description.least, maximum=description.most)
        yield str(started.scheduler_address)
