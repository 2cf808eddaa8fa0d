"""Tables for people. Import this module late: pandas takes half a second."""

from typing import Any

import pandas as pd


class WholeTable(pd.DataFrame):
    """A DataFrame that is printed whole: no row, column or text is replaced by dots."""

    @property
    def _constructor(self) -> type["WholeTable"]:
        return WholeTable

    def __repr__(self) -> str:
        with pd.option_context("display.max_colwidth", None):
            return str(self.to_string())

    def _repr_html_(self) -> Any:
        with pd.option_context("display.max_colwidth", None):
            return self.to_html(max_rows=None, max_cols=None)
