"""Pictures of an episode: text, an array of pixels, and a window.

A world can draw itself (`World.text`, `World.picture`); otherwise its lineage is shown. The picture of a lineage has
time downwards and slots across, both numbered, one color for each occupant, and needs NumPy alone. Its text is that of
`multislot.engine.lineage` with the present observations.
"""

import colorsys
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from multislot.engine.lineage import WIDEST_TEXT, Lineage
from multislot.engine.trace import Trace
from multislot.errors import MissingExtraError

if TYPE_CHECKING:
    from multislot.engine.world import World

Picture = npt.NDArray[np.uint8]

SIDE = 384
"""Height and width of a picture in pixels; it does not change during an episode."""
SHOWN_STEPS = 32
BACKGROUND, EMPTY, INK = 255, 232, 60
"""Gray values of the background, of a slot that was empty at a step, and of numbers."""
TOP, LEFT = 32, 48
"""Margins for slot numbers above and step numbers to the left."""
ZOOM = 2
"""Every pixel of a digit is drawn as a square of this side."""
LABELLED = 4
"""Every fourth step is numbered."""
GLYPHS = {
    "0": "### # # # # # # ###",
    "1": " #  ##   #   #  ###",
    "2": "###   # ### #   ###",
    "3": "###   #  ##   # ###",
    "4": "# # # # ###   #   #",
    "5": "### #   ###   # ###",
    "6": "### #   ### # # ###",
    "7": "###   #   #  #   # ",
    "8": "### # # ### # # ###",
    "9": "### # # ###   # ###",
}
"""Digits of 3 by 5 pixels, row by row with a blank between rows."""


def text(trace: Trace, world: "World") -> str:
    """Return the lineage so far, and a line for every slot with the last observation and reward."""
    rows = trace.rows(trace.steps)
    columns = (column[rows].tolist() for column in (trace.slot, trace.observation, trace.reward))
    present = list(zip(*columns, strict=True))
    lines = [f"slot {slot}: {world.describe(seen)}, paid {paid:g}" for slot, seen, paid in present[:WIDEST_TEXT]]
    if len(present) > WIDEST_TEXT:
        lines.append(f"and {len(present) - WIDEST_TEXT} more slots")
    lineage = Lineage(trace)
    drawn = [lineage.text()] if len(lineage.columns) <= WIDEST_TEXT else []
    return "\n".join([*drawn, f"after step {trace.steps}:", *lines])


def picture(trace: Trace) -> Picture:
    """Return the last 32 steps as pixels, shape [384, 384, 3], the present step at the bottom.

    Columns are the slots occupied in these steps, ascending, gray where a slot is empty. Only the lowest 336 are drawn.
    Slots are numbered above if there is room. Every fourth step is numbered to the left.
    """
    first = max(0, trace.steps + 1 - SHOWN_STEPS)
    numbers = occupant_numbers(trace)
    slots = np.unique(trace.slot[trace.rows(first).start :])[: SIDE - LEFT]
    cells = np.full((SHOWN_STEPS, len(slots), 3), BACKGROUND, dtype=np.uint8)
    for step in range(first, trace.steps + 1):
        rows = trace.rows(step)
        cells[step - first] = EMPTY
        columns = np.searchsorted(slots, trace.slot[rows])
        for column, number in zip(columns.tolist(), numbers[rows], strict=True):
            if column < len(slots):
                cells[step - first, column] = color(number)
    height, width = (SIDE - TOP) // SHOWN_STEPS, (SIDE - LEFT) // max(1, len(slots))
    pixels = np.full((SIDE, SIDE, 3), BACKGROUND, dtype=np.uint8)
    pixels[TOP:, LEFT : LEFT + width * len(slots)] = cells.repeat(height, axis=0).repeat(width, axis=1)
    for step in range(first, trace.steps + 1):
        if step % LABELLED == 0:
            _write(pixels, step, TOP + height * (step - first) + height // 2, LEFT - 4 - _width(step) // 2)
    widest = _width(int(slots.max(initial=0))) + 4
    for column in range(0, len(slots), -(-widest // width)):
        _write(pixels, int(slots[column]), TOP - 10, LEFT + width * column + width // 2)
    return pixels


def _write(pixels: Picture, number: int, y: int, x: int) -> None:
    """Write a number with its middle at pixel ``(y, x)``; pixels beyond the left or right edge are left out."""
    rows = [" ".join(GLYPHS[digit][4 * row : 4 * row + 3] for digit in str(number)) for row in range(5)]
    inked = np.array([[mark == "#" for mark in row] for row in rows]).repeat(ZOOM, axis=0).repeat(ZOOM, axis=1)
    down, across = np.nonzero(inked)
    down, across = down + y - inked.shape[0] // 2, across + x - inked.shape[1] // 2
    seen = (across >= 0) & (across < SIDE)
    pixels[down[seen], across[seen]] = INK


def _width(number: int) -> int:
    return ZOOM * (4 * len(str(number)) - 1)


def occupant_numbers(trace: Trace) -> list[int]:
    """Return the number of every row's occupant, in order of birth."""
    slots, numbers, count = trace.slot.tolist(), [0] * len(trace.slot), 0
    for row, parent in enumerate(trace.parent.tolist()):
        if parent != row and slots[parent] == slots[row]:
            numbers[row] = numbers[parent]
        else:
            numbers[row], count = count, count + 1
    return numbers


@cache
def color(number: int) -> tuple[int, int, int]:
    """Return the color of an occupant; neighbors in the order of birth differ clearly."""
    golden = 0.6180339887498949
    red, green, blue = colorsys.hsv_to_rgb((0.55 + number * golden) % 1, 0.65, 0.85)
    return int(255 * red), int(255 * green), int(255 * blue)


class Window:
    """A window that shows pictures. It opens with the first one. A copy or an unpickled window is closed."""

    def __init__(self) -> None:
        self._surface: Any = None

    def show(self, pixels: Picture, title: str) -> None:
        """Show a picture, shape [height, width, 3]."""
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
