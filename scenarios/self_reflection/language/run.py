"""``language``: a language model in the extended environments of Alexander et al. 2021, and its controls."""

from scenarios.self_reflection.language.lives import cells, run_cell
from scenarios.self_reflection.language.rows import story, table

__all__ = ["cells", "run_cell", "story", "table"]
