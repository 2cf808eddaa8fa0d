"""The report: one page, ``results/index.html``, on everything that was run; it opens without a server or a network.

It is written from the records in the folder of results, so it never claims more than what is kept there. On top
stand what failed, what differs and what is not decided; then the counts by kind; then a card for each scenario.
"""

from scenarios.report.page import write_report
from scenarios.report.shelf import Shelf, note, read_shelf

__all__ = ["Shelf", "note", "read_shelf", "write_report"]
