"""Cards of the gallery show one panel of a figure."""

import matplotlib.pyplot as plt

from scenarios.lab.previews import keep_one_panel


def three_panels(barred=1):
    figure, panels = plt.subplots(1, 3, layout="constrained")
    for letter, axes in zip("abc", panels, strict=True):
        axes.set_title(f"({letter}) panel {letter}", loc="left")
    figure.colorbar(panels[barred].imshow([[0, 1]]), ax=panels[barred])
    return figure, panels


def test_one_panel_stays_without_its_letter_and_fills_the_figure():
    figure, panels = three_panels()
    width = panels[0].get_position().width
    keep_one_panel(figure)
    figure.draw_without_rendering()
    assert figure.axes == [panels[0]]
    assert panels[0].get_title(loc="left") == "panel a"
    assert panels[0].get_position().width > 2 * width
    plt.close(figure)


def test_a_panel_keeps_its_color_bar():
    figure, panels = three_panels(barred=0)
    keep_one_panel(figure)
    assert len(figure.axes) == 2
    assert figure.axes[0] is panels[0]
    plt.close(figure)


def test_a_single_panel_stays_as_it_is():
    figure, axes = plt.subplots(figsize=(9, 2))
    axes.set_title("(a) alone")
    keep_one_panel(figure)
    assert tuple(figure.get_size_inches()) == (9, 2)
    assert axes.get_title() == "(a) alone"
    plt.close(figure)


def test_a_long_legend_below_the_panel_is_shown_whole():
    figure, panels = three_panels()
    for number in range(12):
        panels[0].plot([0, 1], label=f"line {number}")
    panels[0].legend(loc="upper center", bbox_to_anchor=(0.5, -0.2))
    keep_one_panel(figure)
    figure.draw_without_rendering()
    assert panels[0].get_legend().get_window_extent().y0 >= 0
    assert panels[0].get_window_extent().height > 100
    plt.close(figure)
