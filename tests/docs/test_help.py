"""``xcbench help``: its pages are whole, say all there is, and are found by their names."""

import re
import subprocess
import sys

import pytest

from tests.docs.documents import ROOT, TOPICS, walk
from xcbench.cli.keys import config_keys, task_keys
from xcbench.config.schema import ConfigBody
from xcbench.config.tasks import SCHEMAS, XC
from xcbench.runner.result import COLUMNS

NAMES = [page.stem for page in TOPICS]
PROMISED = ("formats", "config", "metrics", "results", "methods")


def letters(text):
    """The letters and digits of a text, each with its number of occurrences."""
    return sorted(re.sub(r"[\W_]", "", text))


def shown(xcbench, *words):
    done = xcbench("help", *words)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_list_names_every_topic_with_its_title(xcbench):
    lines = shown(xcbench).splitlines()
    assert set(PROMISED) <= set(NAMES)
    for page in TOPICS:
        title = page.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
        assert any(line.split() == [page.stem, *title.split()] for line in lines)
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("page", TOPICS, ids=lambda page: page.stem)
def test_a_page_is_printed_whole_in_100_columns(xcbench, page):
    source = page.read_text(encoding="utf-8")
    text = shown(xcbench, page.stem)
    assert [line for line in text.splitlines() if len(line) > 100] == []
    source = source.replace("<!-- keys of configs -->", config_keys())
    source = source.replace("<!-- keys of other tasks -->", task_keys())
    unmarked = re.sub(r"^```\w*$|\*\*", "", source, flags=re.MULTILINE)
    text = text.partition("\nThe options of the command:")[0]
    assert letters(text) == letters(unmarked)


def test_code_keeps_its_lines(xcbench):
    text = shown(xcbench, "results")
    assert "\n    xcbench rerun bibtex/rxml-3d8cc2cd\n" in text


@pytest.mark.parametrize("words", [("run",), ("data", "check"), ("results", "gc")], ids=" ".join)
def test_the_name_of_a_command_shows_its_own_help(xcbench, words):
    assert shown(xcbench, *words).split()[2:] == xcbench(*words, "--help").stdout.split()[2:]


def test_a_topic_that_is_a_command_too_says_where_its_options_are(xcbench):
    assert shown(xcbench, "config").endswith("xcbench config --help\n")


@pytest.mark.parametrize(
    ("word", "meant"), [("metrisc", "metrics"), ("formts", "formats"), ("validat", "validate")]
)
def test_an_unknown_topic_names_the_nearest(xcbench, word, meant):
    done = xcbench("help", word)
    assert done.exit_code == 2
    assert f"did you mean {meant!r}?" in done.stderr


def test_what_is_like_no_topic_is_told_where_they_are_listed(xcbench):
    done = xcbench("help", "qqqq", "zz")
    assert done.exit_code == 2
    assert done.stderr == (
        "error: help qqqq zz: no such topic or command; `xcbench help` lists the topics\n"
    )


def test_the_results_page_explains_every_column():
    page = (ROOT / "xcbench" / "cli" / "topics" / "results.md").read_text(encoding="utf-8")
    rows = [line.split(" | ")[0] for line in page.splitlines() if line.startswith("| `")]
    explained = [name for row in rows for name in re.findall(r"`([^`]+)`", row)]
    assert sorted(explained) == sorted(COLUMNS)


def test_the_config_page_names_every_key(xcbench):
    text = shown(xcbench, "config")
    first = {word for line in text.splitlines() for word in re.findall(r"[\w.]+", line)[:2]}
    assert set(ConfigBody.model_fields) | {"method", "methods", "sweep", "tune"} <= first
    for model in XC.models.values():
        for name, field in model.model_fields.items():
            nested = getattr(field.annotation, "model_fields", {})
            keys = {f"{name}.{inner}" for inner in nested} if nested else {name}
            assert keys - {"model"} <= first


def test_every_key_of_extreme_classification_is_described():
    silent = [line for line in config_keys().splitlines() if line.endswith(("|  |", "` |"))]
    assert silent == []


def test_the_page_of_other_tasks_names_every_task_and_model(xcbench):
    text = shown(xcbench, "other-tasks")
    for kind, schema in SCHEMAS.items():
        if schema is not XC:
            assert f"task: {kind}" in text
            assert all(f"model: {name}" in text for name in schema.models if name not in XC.models)


def test_the_methods_page_names_every_preset_option_and_stage():
    page = (ROOT / "xcbench" / "cli" / "topics" / "methods.md").read_text(encoding="utf-8")
    named = set(re.findall(r"[\w-]+", page))
    for name in XC.presets:
        assert name in named or name.removeprefix(name.split("-")[0]) in page
    rows = [line for line in config_keys().splitlines() if line.startswith("| `")]
    keys = {row.split("`")[1].rpartition(".")[2] for row in rows if "." in row.split("`")[1]}
    models = {name for model in XC.models.values() for name in model.model_fields}
    shared = {"a", "b", "rows", "labels", "seed", "share"}  # of datasets
    assert (keys - shared) | models <= named


def test_starting_the_help_imports_nothing_heavy():
    heavy = ("numpy", "scipy", "numba", "sklearn", "pandas", "matplotlib")
    code = (
        "import sys; from xcbench.cli.main import app; sys.argv = ['xcbench', 'help', 'metrics']\n"
        f"try: app()\nexcept SystemExit: print([m for m in {heavy} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")


def test_the_readme_is_short_and_so_are_its_lines():
    readme = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(readme) < 300
    assert [line for line in readme if len(line) > 120 and not line.startswith("|")] == []


def test_every_command_is_named_in_a_document():
    texts = " ".join(page.read_text("utf-8") for page in [ROOT / "README.md", *TOPICS])
    leaves = [path for path, command in walk() if path and not hasattr(command, "commands")]
    assert [path for path in leaves if f"xcbench {' '.join(path)}" not in texts] == []
