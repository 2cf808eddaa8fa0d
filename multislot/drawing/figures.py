"""Figures in the style of this project. Import this module late: it needs matplotlib, the extra ``plot``."""

import io
from typing import Any

from matplotlib.figure import Figure

from multislot.drawing.styling import house_style


class StyledFigure(Figure):
    """A figure that is drawn in the style of this project at any later time, because ticks are made only then."""

    def add_subplot(self, *args: Any, **kwargs: Any) -> Any:
        """Add axes as any figure does, in the style."""
        with house_style():
            return super().add_subplot(*args, **kwargs)

    def draw(self, renderer: Any) -> None:
        """Draw in the style."""
        with house_style():
            super().draw(renderer)

    def savefig(self, *args: Any, **kwargs: Any) -> None:
        """Save as any figure does, in the style, which sets the resolution, too."""
        with house_style():
            super().savefig(*args, **kwargs)

    def _repr_png_(self) -> bytes:
        image = io.BytesIO()
        self.savefig(image, format="png", dpi=self.dpi)
        return image.getvalue()
