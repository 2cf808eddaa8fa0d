"""Pictures of an episode: text, an array of pixels, and a window.

Where a world draws itself (`World.text`, `World.picture`), that is shown; otherwise the lineage is. Its picture has
time downwards and slots across, one colour an occupant, and needs NumPy alone. Its text is that of `multislot.lineage`
with what everybody observes now.
"""

import colorsys
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from multislot.errors import MissingExtraError
from multislot.lineage import WIDEST_TEXT, Lineage
from multislot.trace import Trace

if TYPE_CHECKING:
    from multislot.world import World

Picture = npt.NDArray[np.uint8]

SIDE = 384
"""Height and width of a picture in pixels; it does not change during an episode."""
SHOWN_STEPS = 32
BACKGROUND = 255


def text(trace: Trace, world: "World") -> str:
    """Return the lineage so far, and a line for every slot that tells what its occupant observed and was paid last."""
    rows = trace.rows(trace.steps)
    columns = (column[rows].tolist() for column in (trace.slot, trace.observation, trace.reward))
    present = list(zip(*columns, strict=True))
    lines = [f"slot {slot}: {world.describe(seen)}, paid {paid:g}" for slot, seen, paid in present[:WIDEST_TEXT]]
    if len(present) > WIDEST_TEXT:
        lines.append(f"and {len(present) - WIDEST_TEXT} slots more")
    lineage = Lineage(trace)
    drawn = [lineage.text()] if len(lineage.columns) <= WIDEST_TEXT else []
    return "\n".join([*drawn, f"after step {trace.steps}:", *lines])


def picture(trace: Trace) -> Picture:
    """Return the last 32 steps as pixels, shape [384, 384, 3]: the start is above, the present step lowest.

    Columns are the slots occupied in these steps, ascending; beyond 384 only the lowest are drawn.
    """
    first = max(0, trace.steps + 1 - SHOWN_STEPS)
    numbers = occupant_numbers(trace)
    slots = np.unique(trace.slot[trace.rows(first).start :])[:SIDE]
    cells = np.full((SHOWN_STEPS, len(slots), 3), BACKGROUND, dtype=np.uint8)
    for step in range(first, trace.steps + 1):
        rows = trace.rows(step)
        columns = np.searchsorted(slots, trace.slot[rows])
        for column, number in zip(columns.tolist(), numbers[rows], strict=True):
            if column < len(slots):
                cells[step - first, column] = colour(number)
    height, width = SIDE // SHOWN_STEPS, SIDE // len(slots)
    pixels = np.full((SIDE, SIDE, 3), BACKGROUND, dtype=np.uint8)
    pixels[:, : width * len(slots)] = cells.repeat(height, axis=0).repeat(width, axis=1)
    return pixels


def occupant_numbers(trace: Trace) -> list[int]:
    """Return the number, in order of birth, of the occupant of every row of a trace."""
    slots, numbers, count = trace.slot.tolist(), [0] * len(trace.slot), 0
    for row, parent in enumerate(trace.parent.tolist()):
        if parent != row and slots[parent] == slots[row]:
            numbers[row] = numbers[parent]
        else:
            numbers[row], count = count, count + 1
    return numbers


@cache
def colour(number: int) -> tuple[int, int, int]:
    """Return the colour of an occupant; neighbours in the order of birth are told apart."""
    golden = 0.6180339887498949
    red, green, blue = colorsys.hsv_to_rgb((0.55 + number * golden) % 1, 0.65, 0.85)
    return int(255 * red), int(255 * green), int(255 * blue)


class Window:
    """A window that shows pictures; opened at the first, and left behind when it is copied or pickled."""

    def __init__(self) -> None:
        self._surface: Any = None

    def show(self, pixels: Picture, title: str) -> None:
        """Show a picture, shape [height, width, 3].

        Raises:
            MissingExtraError: pygame-ce is not installed.
        """
        try:
            import pygame
        except ImportError as error:
            raise MissingExtraError('render_mode="human"', "render") from error
        if self._surface is None:
            pygame.display.init()
            self._surface = pygame.display.set_mode((pixels.shape[1], pixels.shape[0]))
            pygame.display.set_caption(title)
        self._surface.blit(pygame.surfarray.make_surface(pixels.swapaxes(0, 1)), (0, 0))
        pygame.event.pump()
        pygame.display.flip()

    def close(self) -> None:
        """Close the window if it is open."""
        if self._surface is not None:
            import pygame

            pygame.display.quit()
            self._surface = None

    def __reduce__(self) -> tuple[type["Window"], tuple[()]]:
        return Window, ()
