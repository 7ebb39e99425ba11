"""The targets that reproduce tables: what they would run."""

import shutil
import subprocess
from pathlib import Path

import pytest

from xcbench.config.loader import load_config

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


FOLDERS = ("configs", "configs/peers", "configs/seeds", "configs/splits")
CONFIGS = {
    str(path.relative_to(ROOT)) for folder in FOLDERS for path in (ROOT / folder).glob("*.yaml")
} - {"configs/quickstart.yaml"}


def is_for_tables(path):
    """Whether a config is of extreme classification on data as it is."""
    jobs = load_config(ROOT / path).jobs()
    return all(job.is_xc and job.dataset.corrupted is None for job in jobs)


def configs_in(text):
    return [word for word in text.split() if word.endswith(".yaml")]


def test_the_configs_of_other_tasks_have_a_target_of_their_own(tmp_path):
    from xcbench.report.figures.tasks import TASK_FIGURES

    text = commands("reproduce-others", tmp_path)
    assert sorted(configs_in(text)) == sorted(path for path in CONFIGS if not is_for_tables(path))
    assert set(TASK_FIGURES) <= set(text.split())


@pytest.mark.parametrize("number", [2, 3])
def test_a_table_of_results_first_runs_every_config_in_one_command(number, tmp_path):
    text = commands(f"reproduce-table{number}", tmp_path)
    assert set(configs_in(text)) == {path for path in CONFIGS if is_for_tables(path)}
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
