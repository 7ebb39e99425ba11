"""The page in a headless Chromium: what a reader with a mouse, a keyboard or a phone meets."""

import pytest

from tests.report.html.browser import NAMES, Browser, executable
from tests.report.html.example import example

PHONE, DESKTOP = 390, 1280
LABELS = "[...document.querySelectorAll('#t2 tbody:nth-of-type({}) tr:not([hidden]) .label')]"

# The lowest contrast of a text with what is behind it, and that text.
CONTRAST = """(() => {
  const light = (color) => {
    const [r, g, b] = color.match(/[\\d.]+/g).map((v) => v / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (color !== "rgba(0, 0, 0, 0)") return color;
    }
  };
  let worst = [21, ""];
  for (const node of document.querySelectorAll("body *:not(script)")) {
    if (![...node.childNodes].some((part) => part.nodeType === 3 && part.data.trim())) continue;
    const pair = [light(getComputedStyle(node).color), light(behind(node))];
    const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    if (ratio < worst[0]) worst = [ratio, node.outerHTML.slice(0, 80)];
  }
  return worst;
})()"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    program = executable()
    if program is None:
        pytest.skip(f"no Chromium on PATH ({', '.join(NAMES)})")
    opened = Browser(program, tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(example(), encoding="utf-8")
    return path


@pytest.fixture
def shown(browser, report):
    browser.open(report, DESKTOP)
    return browser


def labels(browser, block=1):
    return browser.run(
        f"{LABELS.format(block)}.map((label) => label.textContent.slice(0, 6).trim())"
    )


def press_heading(browser, column):
    browser.run(f"document.querySelectorAll('#t2 thead button')[{column}].click()")
    return browser.run(
        "[...document.querySelectorAll('#t2 thead th')].map((th) => th.getAttribute('aria-sort'))"
    )


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_its_window_loads_nothing_and_complains_of_nothing(
    browser, report, width, scheme
):
    browser.open(report, width, prefers_color_scheme=scheme)
    assert browser.run("innerWidth") == width
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert browser.complaints == []
    assert {address.partition(":")[0] for address in browser.requests} == {"file", "data"}
    assert browser.run("document.querySelector('img').naturalWidth") > 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(browser, report, scheme):
    browser.open(report, DESKTOP, prefers_color_scheme=scheme)
    is_dark = browser.run("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    assert is_dark == (scheme == "dark")
    browser.run("document.querySelectorAll('#t2 a.n')[1].click()")
    ratio, where = browser.run(CONTRAST)
    assert ratio >= 4.5, where


def test_the_policy_refuses_connections(shown):
    tried = "fetch('data:text/plain,x').then(() => 'loaded', () => 'refused')"
    assert shown.run(tried) == "refused"


def test_a_heading_sorts_within_blocks_best_first_blanks_last_equals_in_order(shown):
    assert labels(shown) == ["rxml <", "sleec", "rest10", "rest9", "SLEEC"]
    assert press_heading(shown, 1) == [None, "descending", None]
    assert labels(shown) == ["rxml <", "SLEEC", "sleec", "rest9", "rest10"]
    assert labels(shown, 2) == ["global", "sleec"]
    assert press_heading(shown, 1) == [None, "ascending", None]
    assert labels(shown) == ["sleec", "rest9", "SLEEC", "rxml <", "rest10"]
    assert labels(shown, 2) == ["sleec", "global"]
    assert press_heading(shown, 1) == [None, None, None]
    assert labels(shown) == ["rxml <", "sleec", "rest10", "rest9", "SLEEC"]


def test_numbers_sort_as_numbers_and_labels_by_the_numbers_in_them(shown):
    assert press_heading(shown, 2) == [None, None, "ascending"]
    assert labels(shown) == ["sleec", "rxml <", "rest10", "rest9", "SLEEC"]
    assert press_heading(shown, 0) == ["ascending", None, None]
    assert labels(shown) == ["rest9", "rest10", "rxml <", "sleec", "SLEEC"]


def test_a_sorted_block_keeps_its_title_first_and_its_notes_last(shown):
    press_heading(shown, 1)
    rows = "[...document.querySelectorAll('#t2 tbody:nth-of-type({}) tr')].map((r) => r.className)"
    assert shown.run(rows.format(1)) == ["title", "", "", "", "", "", "notes"]
    assert shown.run(rows.format(2)) == ["title", "", ""]


def test_the_keyboard_sorts(shown):
    shown.run("document.querySelectorAll('#t2 thead button')[1].focus()")
    shown.press("Enter")
    assert labels(shown, 2) == ["global", "sleec"]


def test_groups_and_words_choose_rows(shown):
    output = "document.querySelector('[data-table=t2] output').value"
    assert shown.run(output) == ""
    shown.run("document.querySelector('[data-table=t2] [value=published]').click()")
    assert labels(shown) == ["rxml <", "sleec", "rest10", "rest9"]
    assert shown.run(output) == "6 of 7 rows"
    shown.run("document.querySelector('[data-table=t2] [type=search]').focus()")
    shown.ask("Input.insertText", text="SLEEC yso")
    assert shown.run("document.querySelector('#t2 tbody').hidden") is True
    assert labels(shown, 2) == ["sleec"]
    assert shown.run(output) == "1 of 7 rows"


def test_a_number_opens_the_panel_and_escape_leads_back(shown):
    number = "document.querySelectorAll('#t2 a.n')[0]"
    assert shown.run("document.getElementById('panel').open") is False
    shown.run(f"{number}.focus()")
    shown.press("Enter")
    assert shown.run("document.getElementById('panel').open") is True
    title = shown.run("document.getElementById('panel-title').textContent")
    assert title.startswith("bibtex, rxml <script>")
    assert title.endswith("P@1: 66.12")
    text = shown.run("document.getElementById('panel').textContent")
    for said in ("method.rank = 7", "abc123", "there: Some CPU", "numpy 2.4.6", "d" * 64):
        assert said in text
    assert shown.run("document.activeElement.id") == "panel-title"
    shown.press("Escape")
    assert shown.run("document.getElementById('panel').open") is False
    assert shown.run(f"document.activeElement === {number}") is True


def test_the_panel_lists_every_run_of_a_mean_and_the_publication_of_a_published_number(shown):
    shown.run("document.querySelectorAll('#t2 a.n')[2].click()")
    assert shown.run("document.querySelectorAll('#panel dl').length") == 2
    assert "Measured in 2 runs" in shown.run("document.getElementById('panel').textContent")
    shown.run("document.querySelector('#t2 [data-group=published] a.n').click()")
    text = shown.run("document.querySelector('.panel-content').textContent")
    assert text == "A paper, Table 3, https://example.org/paper.pdf"


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_the_number_that_was_pressed_stays_in_sight_beside_the_panel(browser, report, width):
    browser.open(report, width, 844)
    browser.run("document.querySelectorAll('#t2 a.n')[7].scrollIntoView({block: 'end'})")
    browser.run("document.querySelectorAll('#t2 a.n')[7].click()")
    number, panel = browser.run(
        "[document.querySelectorAll('#t2 a.n')[7], document.getElementById('panel')]"
        ".map((node) => node.getBoundingClientRect().toJSON())"
    )
    is_beside = number["right"] <= panel["left"] or panel["right"] <= number["left"]
    assert is_beside or number["bottom"] <= panel["top"]


def test_a_run_in_the_panel_leads_to_its_entry_and_opens_it(shown):
    shown.run("document.querySelectorAll('#t2 a.n')[0].click()")
    shown.run("document.querySelector('#panel .run-link').click()")
    assert shown.run("document.getElementById('panel').open") is False
    entry = "document.getElementById(location.hash.slice(1))"
    assert "rxml" in shown.run(f"{entry}.textContent")
    assert shown.run(f"{entry}.closest('details').open") is True


def test_arrows_walk_over_the_numbers_and_tab_leaves_them(shown):
    links = "[...document.querySelectorAll('#t2 a.n')]"
    assert shown.run(f"{links}.filter((link) => link.tabIndex === 0).length") == 1
    shown.run(f"{links}[0].focus()")
    places = []
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft", "ArrowUp"):
        shown.press(key)
        places.append(shown.run("document.activeElement.textContent.split(' ')[0]"))
    assert places == ["10", "10", "9", "100", "100", "9"]
    shown.press("Tab")
    assert shown.run(f"{links}.includes(document.activeElement)") is False


def test_heading_and_first_column_stay_while_the_table_scrolls(browser, report):
    browser.open(report, 300, 500)
    browser.run("document.querySelector('#table-2 .scroll').style.height = '120px'")
    browser.run("document.querySelector('#table-2 .scroll').scrollTo(60, 60)")
    box, head, label = browser.run(
        "['#table-2 .scroll', '#t2 thead th', '#t2 tbody tr[data-group] th']"
        ".map((it) => document.querySelector(it).getBoundingClientRect().toJSON())"
    )
    assert head["top"] == pytest.approx(box["top"] + 1)
    assert head["left"] == label["left"] == pytest.approx(box["left"] + 1)


def test_all_is_readable_without_script(browser, report):
    browser.open(report, DESKTOP, script="off")
    browser.ask("Emulation.setScriptExecutionDisabled", value=False)
    assert browser.run("document.querySelectorAll('button').length") == 1
    assert browser.run("document.querySelector('#panel button').offsetParent") is None
    assert browser.run("document.querySelector('.tools').offsetParent") is None
    assert browser.run("document.querySelector('#t2 a.n').offsetHeight") > 0
    browser.run("document.querySelector('#t2 a.n').click()")
    assert browser.run("location.hash").startswith("#source-")
    browser.run("document.querySelector(location.hash + ' a').click()")
    run = "document.getElementById(location.hash.slice(1))"
    assert browser.run(f"{run}.closest('details').open") is True


def test_a_printed_table_is_whole_and_has_no_controls(browser, report):
    browser.open(report, 1040, media="print")
    assert browser.run("getComputedStyle(document.querySelector('.tools')).display") == "none"
    box = "document.querySelector('#table-2 .scroll')"
    assert browser.run(f"getComputedStyle({box}).overflow") == "visible"
    assert browser.run("document.documentElement.scrollWidth") <= 1040


def test_numbers_with_and_without_a_spread_line_up_and_rows_have_whole_heights(shown):
    edges = shown.run(
        "[...document.querySelectorAll('#t2 tbody td:nth-of-type(1) a.n')]"
        ".map((link) => Math.round(link.getBoundingClientRect().right))"
    )
    assert len(edges) == 6
    assert len(set(edges)) == 1
    heights = (
        "[...document.querySelectorAll('#t2 tr')].map((row) => row.getBoundingClientRect().height)"
    )
    assert all(height == int(height) for height in shown.run(heights))
