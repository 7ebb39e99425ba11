import pytest
from typer.testing import CliRunner

from xcbench.cli.data import data_app
from xcbench.errors import ConfigError, DataError

SIZES = ("--points", 200, "--test-points", 50, "--features", 90, "--labels", 40,
         "--features-per-point", 8, "--labels-per-point", 2.5)  # fmt: skip


@pytest.fixture(autouse=True)
def no_data_root(tmp_path, monkeypatch):
    monkeypatch.setenv("XCBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("XCBENCH_DATA", raising=False)


def run(*words):
    return CliRunner().invoke(data_app, [str(word) for word in words])


def cells(output):
    return [[word.strip() for word in line.split("│")[1:-1]] for line in output.splitlines()]


def test_made_up_data_is_used_by_its_name(tmp_path):
    result = run("synth", "made", *SIZES, "--data", tmp_path)
    assert result.exit_code == 0
    assert result.stdout == f"made: 200 + 50 rows, 90 features, 40 labels\n{tmp_path / 'made'}\n"
    assert "200 + 50 rows" in run("prepare", "made", "--data", tmp_path).output
    again = run("synth", "made", *SIZES, "--data", tmp_path)
    assert isinstance(again.exception, DataError)
    assert run("synth", "made", *SIZES, "--data", tmp_path, "--force").exit_code == 0


def test_info_puts_made_up_data_beside_what_it_was_scaled_from(tmp_path):
    run("synth", "made", "--like", "eurlex", "--scale", 0.01, "--data", tmp_path)
    result = run("info", "made", "--data", tmp_path)
    assert result.exit_code == 0
    lines = {line[0]: line[1:] for line in cells(result.output) if line}
    assert lines["n train"] == ["155", "15539", "155", "+0.0 %"]
    assert lines["n features"] == ["500", "5000", "500", "+0.0 %"]
    files, published, wanted, off = lines["labels per point"]
    assert published == wanted
    assert float(off.removesuffix(" %")) == pytest.approx(
        100 * (float(files) / float(wanted) - 1), abs=0.3
    )
    assert "made up by xcbench" in result.output
    assert "from seed 0; not real data" in result.output


def test_info_of_explicit_sizes_says_what_was_asked_for(tmp_path):
    run("synth", "made", *SIZES, "--data", tmp_path)
    lines = {
        line[0]: line[1:] for line in cells(run("info", "made", "--data", tmp_path).output) if line
    }
    assert lines["n labels"] == ["40", "40", "+0.0 %"]
    assert float(lines["label exponent"][0]) > 0
    assert int(lines["heaviest label"][0]) >= 2.5 * 200 / 40


@pytest.mark.parametrize(
    "name", ["", "..", "a/../b", "/made", ".made", "a\nb", "amazon-670k", "Wiki10"]
)
def test_a_name_no_config_can_say_or_that_is_taken_is_refused(name, tmp_path):
    result = run("synth", "--data", tmp_path, *SIZES, "--", name)
    assert isinstance(result.exception, ConfigError)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ((), "give --like NAME, or all sizes; --points, --test-points, "),
        (SIZES[2:], "give --like NAME, or all sizes; --points missing"),
        ((*SIZES, "--scale", 0.5), "--scale goes with --like"),
        (("--like", "eurlex", *SIZES), "--points goes without --like"),
        (("--like", "eurlx"), "--like 'eurlx': not in the catalogue; did you mean 'eurlex'?"),
        (("--like", "eurlex", "--scale", 0), "scale is 0; expected more than 0"),
    ],
)
def test_a_wrong_choice_of_sizes_is_one_clear_error(words, reason, tmp_path):
    result = run("synth", "made", *words, "--data", tmp_path)
    assert isinstance(result.exception, ConfigError)
    assert str(result.exception).startswith(reason)
