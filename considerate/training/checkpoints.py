"""Signed checkpoints: reading one can execute code, so only the user's own are read.

What Stable-Baselines3, environments and replay buffers need to go on is stored as pickles, and a pickle can execute any
code when it is read. So a checkpoint is signed with a key that belongs to the user, and one with another signature is
refused before anything in it is read. ``trust=True`` reads it nevertheless: for files whose author you know.

The key is made at first use, readable by its owner alone, in ``multislot/checkpoint.key`` in the user's state folder
(``$XDG_STATE_HOME``, or ``~/.local/state``). The environment variable `KEY_PLACE` names another file, so that the
machines of a cluster can share one.

A checkpoint is a folder of files and a manifest with the hash of each. It is written under another name and then
renamed, so that a crash leaves a whole one.
"""

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from shutil import rmtree
from typing import Any

from multislot.errors import SettingError

CHECKPOINT = "checkpoint"
MANIFEST = "manifest.json"
KEY_PLACE = "MULTISLOT_CHECKPOINT_KEY"
"""The environment variable that names the file of the key."""
KEY_BYTES = 32
OF_0_1 = ("model.zip", "rest.pkl")
"""The files of a checkpoint of version 0.1, which had no manifest."""


class CheckpointError(SettingError):
    """A checkpoint cannot be read; the message says why and how to go on."""


class UntrustedError(CheckpointError):
    """A checkpoint does not have this user's signature; nothing in it was read."""


def write_checkpoint(place: Path, parts: Mapping[str, bytes]) -> None:
    """Replace the checkpoint in a folder; whole or not at all.

    Args:
        place: the folder; it is made if it is not there.
        parts: what to store, by file name.
    """
    new, old, kept = place / f"{CHECKPOINT}.new", place / f"{CHECKPOINT}.old", place / CHECKPOINT
    rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    for name, part in parts.items():
        (new / name).write_bytes(part)
    hashes = json.dumps({name: hashlib.sha256(part).hexdigest() for name, part in parts.items()}, sort_keys=True)
    manifest = {"hashes": hashes, "signature": _signature(hashes.encode(), _own_key())}
    (new / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    rmtree(old, ignore_errors=True)
    if kept.exists():
        kept.rename(old)
    new.rename(kept)
    rmtree(old, ignore_errors=True)


def read_checkpoint(place: Path, trust: bool = False) -> dict[str, bytes] | None:
    """Return the parts of the checkpoint in a folder by file name; None if there is no checkpoint.

    Args:
        place: the folder.
        trust: whether to read a checkpoint that is not signed by this user.

    Raises:
        UntrustedError: the checkpoint is not signed by this user.
        CheckpointError: it is damaged.
    """
    found = next((path for path in (place / CHECKPOINT, place / f"{CHECKPOINT}.old") if path.exists()), None)
    if found is None:
        return None
    try:
        if not (found / MANIFEST).exists():
            return _of_0_1(found, trust)
        manifest = json.loads((found / MANIFEST).read_text(encoding="utf-8"))
        hashes, signature = str(manifest["hashes"]), str(manifest["signature"])
        if not trust and not hmac.compare_digest(signature.encode(), _signature(hashes.encode(), _own_key()).encode()):
            raise UntrustedError(_untrusted(found, "its signature is not yours, or it is damaged"))
        return {name: _part(found, name, digest) for name, digest in json.loads(hashes).items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise damaged(found, error) from None


def damaged(place: Path, error: object) -> CheckpointError:
    """Return the error of a checkpoint that cannot be read."""
    return CheckpointError(f"the checkpoint {place} is damaged ({error}); delete it to start again")


def _part(found: Path, name: str, digest: Any) -> bytes:
    """Return a file of a checkpoint as it was written."""
    if Path(name).name != name:
        raise damaged(found, f"it names {name!r}, which is not one of its files")
    part = (found / name).read_bytes()
    if hashlib.sha256(part).hexdigest() != digest:
        raise damaged(found, f"{name} has changed since it was written")
    return part


def _of_0_1(found: Path, trust: bool) -> dict[str, bytes]:
    """Return the parts of a checkpoint of version 0.1, which is not signed."""
    if not trust:
        raise UntrustedError(_untrusted(found, "it has no signature; version 0.1 wrote none"))
    return {name: (found / name).read_bytes() for name in OF_0_1}


def _untrusted(found: Path, reason: str) -> str:
    return (
        f"the checkpoint {found} was not read: {reason}, and reading a checkpoint can execute code; give trust=True if "
        f"you know who wrote it, set {KEY_PLACE} to the key that it was written with, or delete it to start again"
    )


def _signature(content: bytes, key: bytes) -> str:
    return hmac.new(key, content, hashlib.sha256).hexdigest()


def key_path() -> Path:
    """Return where the user's key is."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(os.environ.get(KEY_PLACE) or Path(state) / "multislot" / "checkpoint.key")


def _own_key() -> bytes:
    """Return the user's key, which is made at first use.

    Raises:
        SettingError: it cannot be read or made.
    """
    path = key_path()
    try:
        if not path.exists():
            _make_key(path)
        key = path.read_bytes()
    except OSError as error:
        raise SettingError(f"got {path} as the key for checkpoints; expected a file of yours: {error}") from None
    if len(key) != KEY_BYTES:
        raise SettingError(f"the key for checkpoints in {path} has {len(key)} bytes; expected {KEY_BYTES}; delete it")
    return key


def _make_key(path: Path) -> None:
    """Write a new key, readable by its owner alone; keep one that another process makes at the same time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(secrets.token_bytes(KEY_BYTES))
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
