"""What a reader would miss in a figure: labels of axes, intervals where chance is in it, letters that can be read."""

from matplotlib.collections import FillBetweenPolyCollection
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.text import Text

SHOWN_WIDTH = 800
"""Pixels across at which a figure is read."""
LEAST_PIXELS = 8.5
"""Size of the smallest letters."""
SAYS_WHAT = ("95%", "confidence", "standard error", "no error is known", "no interval")


def faults(figure, chance=False):
    """Yield what is wrong with a figure; `chance` says that what it shows was drawn at random."""
    figure.draw_without_rendering()
    for number, axes in enumerate(one for one in figure.axes if one.get_visible() and one.axison):
        for axis, shared in ((axes.xaxis, figure._supxlabel), (axes.yaxis, figure._supylabel)):
            if needs_label(axes, axis) and not axis.get_label_text() and shared is None:
                yield f"panel {number}: the {axis.axis_name} axis has no label"
    scale = SHOWN_WIDTH / (72 * figure.get_figwidth())
    for text in words_of(figure):
        if text.get_size() * scale < LEAST_PIXELS:
            yield f"{text.get_text()!r}: letters of {text.get_size() * scale:.1f} pixels"
    if chance and not any(has_intervals(axes) for axes in figure.axes):
        yield "no intervals, though chance is in it"
    if chance and not any(says in text.get_text() for text in words_of(figure) for says in SAYS_WHAT):
        yield "nothing says what the intervals are"


def needs_label(axes, axis):
    """Numbers need a label; names do not, nor an axis without ticks, such as a map's, or one whose neighbor has it."""
    ticks = [text.get_text() for text in axis.get_ticklabels() if text.get_visible()]
    group = axes.get_shared_x_axes() if axis.axis_name == "x" else axes.get_shared_y_axes()
    neighbors = [getattr(one, f"{axis.axis_name}axis") for one in group.get_siblings(axes)]
    return any(map(is_number, ticks)) and not any(one.get_label_text() for one in neighbors)


def is_number(word):
    try:
        float(word.replace("−", "-").replace("$", "").replace("\\mathdefault{", "").strip("}"))
    except ValueError:
        return False
    return True


def words_of(figure):
    """Return what is written in a figure, without labels of ticks that are out of view."""
    hidden = {id(label) for axes in figure.axes for label in out_of_view(axes)}
    words = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    return [text for text in words if id(text) not in hidden and (text.axes is None or text.axes.get_visible())]


def out_of_view(axes):
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
            if not axes.axison or not low <= tick.get_loc() <= high:
                yield from (tick.label1, tick.label2)


def has_intervals(axes):
    bars = [one.errorbar if isinstance(one, BarContainer) else one for one in axes.containers]
    whiskers = any(isinstance(one, ErrorbarContainer) and one.lines[2] for one in bars)
    return whiskers or any(isinstance(one, FillBetweenPolyCollection) for one in axes.collections)


def cut_or_covered(figure):
    """Yield words that reach beyond the edges of a figure, and words that cover others; needs a whole drawing."""
    figure.draw_without_rendering()
    boxes = [(text.get_text(), text.get_window_extent()) for text in words_of(figure) if text.figure is not None]
    whole = figure.bbox
    for words, box in boxes:
        if box.x0 < whole.x0 - 1 or box.x1 > whole.x1 + 1 or box.y0 < whole.y0 - 1 or box.y1 > whole.y1 + 1:
            yield f"{words!r} is cut"
    for number, (words, box) in enumerate(boxes):
        for others, other in boxes[number + 1 :]:
            if box.shrunk(0.9, 0.8).overlaps(other.shrunk(0.9, 0.8)):
                yield f"{words!r} and {others!r} cover each other"
