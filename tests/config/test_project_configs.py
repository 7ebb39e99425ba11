"""The project's configs: SLEEC's settings are the released ones, and splits belong together."""

import csv
from pathlib import Path

import pytest

from xcbench.config.loader import load_config
from xcbench.data.catalogue import catalogue

ROOT = Path(__file__).parents[2]
SETTINGS = ROOT / "results" / "published" / "sleec_hyperparameters.csv"


def released():
    """SLEEC's released settings by the dataset's title."""
    found = {}
    with SETTINGS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["dataset"], {})[row["parameter"]] = row["value"]
    return found


def methods(path):
    return {method.label: method for method in load_config(path).methods}


WITH_SETTINGS = [
    name
    for name, entry in catalogue().items()
    if entry.title in released() and (ROOT / "configs" / f"{name}.yaml").is_file()
]


@pytest.mark.parametrize("name", WITH_SETTINGS)
def test_sleec_has_its_released_settings(name):
    given = released()[catalogue()[name].title]
    for label in ("sleec", "sleec-svp"):
        found = methods(ROOT / "configs" / f"{name}.yaml")[label].settings
        assert found.learners == int(given["num_learners"])
        assert found.clusters == int(given["num_clusters"])
        assert found.rank == int(given["out_Dim"])
        assert found.neighbours.count == int(given["SVP_neigh"])
        assert found.vote.neighbours == int(given["NNtest"])
        assert found.regression.ridge == pytest.approx(1 / (2 * float(given["cost"])))


def test_the_released_settings_are_for_eight_datasets():
    assert len(WITH_SETTINGS) == 8


REPEATS = sorted(path for part in ("seeds", "splits") for path in ROOT.glob(f"configs/{part}/*"))


@pytest.mark.parametrize("path", REPEATS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_other_seeds_and_splits_have_the_methods_of_the_first_to_the_letter(path):
    known, others = {}, load_config(path)
    for first in (ROOT / "configs" / path.name, ROOT / "configs" / "peers" / path.name):
        config = load_config(first)
        assert config.body.dataset == others.body.dataset
        assert config.body.metrics == others.body.metrics
        drawn = {(job.seed, job.split) for job in config.jobs()}
        assert not drawn & {(job.seed, job.split) for job in others.jobs()}
        known |= methods(first)
    for label, method in methods(path).items():
        assert method == known[label]


def test_the_ten_of_table_1_are_known_to_the_published_results_by_their_titles():
    with (SETTINGS.parent / "results.csv").open(encoding="utf-8", newline="") as file:
        known = {row["dataset"] for row in csv.DictReader(file)}
    titles = {entry.title for entry in catalogue().values() if entry.table1}
    assert titles - known == {"RCV1-2K"}  # nothing is published for it there
