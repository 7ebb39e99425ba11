"""What every figure owes its reader: legible, safe for the colour-blind, equal bytes for equal
results."""

import io
import itertools
import random
import re
import xml.etree.ElementTree as ET

import matplotlib
import pytest
from matplotlib.colors import to_hex
from matplotlib.text import Text

from tests.report.figures.conftest import made_costs, made_row
from xcbench.report.figures import figure1, figure2, figure_cost, figure_time, png, svg
from xcbench.report.figures.style import DOUBLE_COLUMN, PALETTE, SINGLE_COLUMN

ITERATIONS = "completion.iterations"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module", params=["1", "2", "time", "cost"])
def draw(request, sweep):
    """A function that draws one of the figures anew, from its rows in any order."""
    names = ("bibtex", "delicious")
    steps = {5: [40.0, 42.0], 10: [50.0, 51.0]}
    settings = itertools.product(("rank", "learners", "clusters"), ("paper", "rxml"), names)
    models = {"rxml": "local_embedding", "global": "global", "plt": "napkinxc", "knn": "x"}
    rows = {
        "1": [
            row
            for label, name in itertools.product(("fig1-paper", "fig1-spectral"), names)
            for row in sweep(label, ITERATIONS, steps, dataset=name)
        ],
        "2": [
            row
            for key, method, name in settings
            for row in sweep(f"fig2-{key}-{method}", key, steps, dataset=name)
        ],
        "time": [
            made_row(label, 60.0 + n, name, train_s=2.0**n, **{"method.model": model})
            for n, (label, model) in enumerate(models.items())
            for name in names
        ],
        "cost": made_costs(),
    }[request.param]
    make = {
        "1": lambda rows: figure1(rows, {"bibtex": 65.0}),
        "2": figure2,
        "time": figure_time,
        "cost": figure_cost,
    }[request.param]
    return lambda order=lambda rows: rows: make(order(rows))


@pytest.fixture(scope="module")
def drawing(draw):
    return draw()


@pytest.fixture(scope="module")
def document(drawing):
    return svg(drawing)


def test_equal_rows_give_equal_images(draw, drawing):
    assert png(draw()) == png(drawing)


def test_neither_the_order_of_runs_nor_a_users_settings_nor_an_earlier_png_change_the_bytes(
    draw, document
):
    shuffled = draw(
        lambda rows: rows if "solver" in rows[0] else random.Random(0).sample(rows, len(rows))
    )
    with matplotlib.rc_context({"font.size": 20, "lines.linewidth": 9, "svg.fonttype": "none"}):
        png(shuffled)
        assert svg(shuffled) == document


def test_drawing_leaves_the_settings_of_others_alone(draw):
    before = dict(matplotlib.rcParams)
    draw()
    assert dict(matplotlib.rcParams) == before


def test_no_text_is_smaller_than_seven_points(drawing):
    sizes = {text.get_fontsize() for text in drawing.figure.findobj(Text) if text.get_text()}
    assert min(sizes) >= 7


def test_every_colour_is_one_of_the_safe_palette(document):
    found = set(re.findall(r"(?:fill|stroke): (#[0-9a-fA-F]{6})", document))
    assert found <= {to_hex(colour) for colour in PALETTE}
    assert len(found) > 3


def test_lines_of_a_panel_differ_in_more_than_colour(drawing):
    for axis in drawing.figure.axes:
        looks = [
            (line.get_marker(), line.get_linestyle(), line.get_markerfacecolor() == "#ffffff")
            for line in axis.lines
            if not line.get_label().startswith("_")
        ]
        assert len(set(looks)) == len(looks)


def test_every_axis_is_labelled_and_every_panel_lettered(drawing):
    axes = [axis for axis in drawing.figure.axes if axis.axison]
    columns = {"2": 3}.get(drawing.name, len(axes))
    for number, axis in enumerate(axes):
        assert axis.get_title(loc="left").startswith(f"({'abcdef'[number]}) ")
        assert axis.get_xlabel() or number < len(axes) - columns
        assert axis.get_ylabel() or number % columns


def test_it_is_as_wide_as_a_column_or_two_and_has_300_dots_an_inch(drawing, document):
    from PIL import Image

    image = Image.open(io.BytesIO(png(drawing)))
    assert image.width == round(300 * DOUBLE_COLUMN)
    assert image.info["dpi"] == pytest.approx((300, 300), abs=0.1)
    width = ET.fromstring(document).attrib["width"]
    assert float(width.removesuffix("pt")) == pytest.approx(72 * DOUBLE_COLUMN)


def test_a_figure_of_one_panel_is_one_column_wide(sweep):
    drawing = figure1(sweep("fig1-paper", ITERATIONS, {5: [40.0]}), {})
    assert drawing.figure.get_figwidth() == SINGLE_COLUMN


def test_an_svg_carries_its_title_and_caption_and_no_date(drawing, document):
    text = " ".join(ET.fromstring(document).itertext())
    assert drawing.title in text
    assert drawing.caption.split(".")[0] in text
    assert not re.search(r"20\d\d-\d\d-\d\dT", document)


def test_texts_are_plain_sentences(drawing):
    assert drawing.caption.endswith(".")
    assert drawing.alt.endswith(".")
    assert "\n" not in drawing.title + drawing.caption + drawing.alt
