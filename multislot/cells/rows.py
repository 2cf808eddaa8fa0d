"""A finished cell, as a store keeps it: one row with a hash of its content."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from multislot.cells.errors import StoreError
from multislot.errors import show_value


@dataclass(frozen=True)
class Finished:
    """A finished cell.

    Attributes:
        key: its name, see `multislot.cells.cell_key`.
        result: as JSON.
        seconds: how long it took, failed attempts included.
        code: digest of the code that made it; empty where that is not known.
    """

    key: str
    result: str
    seconds: float
    code: str = ""

    @property
    def digest(self) -> str:
        """Hash of the content."""
        content = "\0".join((self.key, self.result, repr(self.seconds), self.code))
        return hashlib.sha256(content.encode(errors="surrogatepass")).hexdigest()

    @property
    def value(self) -> Any:
        """The result as a JSON value.

        Raises:
            StoreError: it is not JSON; no run writes such a result.
        """
        try:
            return json.loads(self.result)
        except (ValueError, RecursionError) as error:
            remedy = "delete the store, or the row with this key"
            raise StoreError(f"the result of {show_value(self.key)} cannot be read ({error}); {remedy}") from None


def read_row(key: object, result: object, seconds: object, digest: object, code: object) -> Finished | None:
    """A cell as it was written, or None if anything in its row has changed."""
    if not (isinstance(key, str) and isinstance(result, str) and isinstance(seconds, float)):
        return None
    if not isinstance(code, str | None):
        return None
    cell = Finished(key, result, seconds, code or "")
    return cell if cell.digest == digest else None
