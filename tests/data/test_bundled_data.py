from pathlib import Path

from xcbench.config.dataset import DatasetConfig
from xcbench.data.catalogue import catalogue
from xcbench.data.load import load
from xcbench.data.sources import locate
from xcbench.data.statistics import statistics

DATA = Path(__file__).parents[2] / "data"


def test_the_bundled_dataset_is_there_and_of_the_stated_size():
    entry = catalogue()["bioregistry"]
    found = statistics(load(locate(DatasetConfig(name="bioregistry"), DATA)))
    assert (found.n_train, found.n_test) == (entry.n_train, entry.n_test)
    assert (found.n_features, found.n_labels) == (entry.n_features, entry.n_labels)
    names = (DATA / "bioregistry" / "Yf.txt").read_text().splitlines()
    assert len(names) == found.n_labels


def test_the_readme_names_the_files_of_every_dataset_of_table_1():
    readme = (DATA / "README.md").read_text()
    for entry in catalogue().values():
        if entry.table1:
            assert f"`{entry.name}`" in readme
            missing = [
                f for layout in entry.layouts for f in layout.files if f"`{f}`" not in readme
            ]
            assert missing == []
            assert entry.page in readme
