"""The targets that reproduce tables: what they would run."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def commands(target, tmp_path):
    """What make would do with a ready environment; nothing is run."""
    for stamp in (".core", ".dev", ".peers"):
        (tmp_path / stamp).touch()
    places = [f"VENV={tmp_path}", "DATA=my data", "RESULTS=my results"]
    done = subprocess.run(
        ["make", "-n", "-C", ROOT, target, *places], capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.parametrize("number", [2, 3])
def test_a_table_of_results_first_runs_every_config_in_one_command(number, tmp_path):
    text = commands(f"reproduce-table{number}", tmp_path)
    folders = ("configs", "configs/peers", "configs/seeds", "configs/splits")
    paths = {str(path.relative_to(ROOT)) for f in folders for path in (ROOT / f).glob("*.yaml")} - {
        "configs/quickstart.yaml"
    }
    assert {word for word in text.split() if word.endswith(".yaml")} == paths
    assert text.count("xcbench run") == 1
    assert text.index("xcbench run") < text.index(
        f'xcbench table {number} --data "my data" --results "my results"'
    )


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_table_is_written_in_every_format(number, tmp_path):
    text = commands(f"reproduce-table{number}", tmp_path)
    for ending in ("txt", "md", "tex", "csv", "html"):
        assert f'--out "my results/tables/table{number}.{ending}"' in text
    assert f'cat "my results/tables/table{number}.txt"' in text
