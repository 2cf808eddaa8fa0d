"""Cards of the gallery show one panel of a figure."""

import matplotlib.pyplot as plt

from scenarios.lab import registry
from tests.build import load_script

gallery = load_script("docs/hooks/gallery.py")
keep_one_panel = gallery.keep_one_panel


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


def test_a_panel_keeps_its_color_bar():
    figure, panels = three_panels(barred=0)
    keep_one_panel(figure)
    assert len(figure.axes) == 2
    assert figure.axes[0] is panels[0]
    figure.draw_without_rendering()
    assert figure.axes[0].get_position().width > 0.6  # with its bar it fills the figure


def test_a_single_panel_stays_as_it_is():
    figure, axes = plt.subplots(figsize=(9, 2))
    axes.set_title("(a) alone")
    keep_one_panel(figure)
    assert tuple(figure.get_size_inches()) == (9, 2)
    assert axes.get_title() == "(a) alone"


def test_a_long_legend_below_the_panel_is_shown_whole():
    figure, panels = three_panels()
    for number in range(12):
        panels[0].plot([0, 1], label=f"line {number}")
    panels[0].legend(loc="upper center", bbox_to_anchor=(0.5, -0.2))
    keep_one_panel(figure)
    figure.draw_without_rendering()
    assert panels[0].get_legend().get_window_extent().y0 >= 0
    assert panels[0].get_window_extent().height > 100


def test_every_experiment_has_a_card_with_a_short_sentence_and_a_page_of_its_own(tmp_path):
    gallery.write(str(tmp_path), "", draw=False)
    index = (tmp_path / "index.md").read_text(encoding="utf-8")
    for name, scenario in registry.discover().items():
        assert index.count(f'href="{name}.html"') == 1
        assert f"multislot run {name}" in (tmp_path / f"{name}.md").read_text(encoding="utf-8")
        assert len(gallery.one_sentence(scenario.moral or scenario.summary).split()) <= gallery.LONGEST_SENTENCE


def test_a_card_takes_the_first_sentence_that_is_short_enough():
    long = " ".join(["word"] * 30) + "."
    assert gallery.one_sentence(f"{long} This one is short enough for the card.") == (
        "This one is short enough for the card."
    )
    assert gallery.one_sentence(long) == " ".join(["word"] * 24) + " …"
