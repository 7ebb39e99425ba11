"""Held-out training rows in the place of the test rows."""

from __future__ import annotations

import numpy as np
import pytest

from tests.conftest import tiny_text
from xcbench.config.dataset import CorruptionConfig, DatasetConfig, HeldOutConfig
from xcbench.config.loader import load_config
from xcbench.data.load import load
from xcbench.data.sources import locate
from xcbench.data.store import prepare
from xcbench.errors import DataError
from xcbench.runner.plan import plan


def located(root, **more):
    config = DatasetConfig(name="tiny", **more)
    return locate(config, root)


def rows_of(*parts):
    """The rows of some parts as bytes, sorted."""
    dense = np.vstack([np.hstack([part.X.toarray(), part.Y.toarray()]) for part in parts])
    return sorted(row.tobytes() for row in dense)


def test_the_training_rows_are_parted_and_no_test_row_is_there(tiny_data):
    whole = load(located(tiny_data))
    parts = load(located(tiny_data, held_out=HeldOutConfig(share=0.25)))
    assert (parts.train.X.shape[0], parts.test.X.shape[0]) == (45, 15)
    assert rows_of(parts.train, parts.test) == rows_of(whole.train)
    assert parts.train.X.shape[1] == whole.train.X.shape[1]
    assert parts.train.Y.shape[1] == whole.train.Y.shape[1]


def test_what_the_test_rows_hold_changes_nothing_but_the_widths(tiny_data):
    sources = located(tiny_data, held_out=HeldOutConfig())
    before = prepare(sources, "tfidf").meta["data_sha256"]
    (tiny_data / "tiny" / "test.txt").write_text(tiny_text(9, seed=7))
    assert prepare(sources, "tfidf").meta["data_sha256"] == before
    (tiny_data / "tiny" / "test.txt").write_text("1 25 9\n3 24:1\n")
    wider = prepare(sources, "tfidf")
    assert (wider.train.n_features, wider.train.n_labels) == (25, 9)


def test_share_and_seed_and_none_are_data_of_their_own(tiny_data):
    several = [
        {}, {"held_out": HeldOutConfig()}, {"held_out": HeldOutConfig(seed=1)},
        {"held_out": HeldOutConfig(share=0.2)},
    ]  # fmt: skip
    folders = {prepare(located(tiny_data, **each)).folder for each in several}
    assert len(folders) == len(several)


def test_held_out_rows_are_undamaged(tiny_data):
    damage = CorruptionConfig(rows=100, labels=8)
    held = HeldOutConfig(share=0.5)
    sound = load(located(tiny_data, held_out=held))
    damaged = load(located(tiny_data, held_out=held, corrupted=damage))
    assert rows_of(damaged.test) == rows_of(sound.test)
    assert damaged.train.Y.nnz == 8 * damaged.train.Y.shape[0]


def test_folders_of_results_are_named_for_the_share():
    titles = [
        DatasetConfig(name="tiny", held_out=HeldOutConfig(share=share)).title
        for share in (0.1, 0.25)
    ]
    assert titles == ["tiny-heldout10", "tiny-heldout25"]


def test_a_share_that_comes_to_no_row_is_a_data_error(tiny_data):
    with pytest.raises(DataError, match=r"held_out.share: .* test part without a row"):
        load(located(tiny_data, held_out=HeldOutConfig(share=0.001)))


def test_runs_of_before_keep_their_ids(tmp_path, monkeypatch):
    """As they were before there were held-out rows, tune blocks and described keys."""
    from tests.conftest import ROOT

    monkeypatch.setenv("XCBENCH_CACHE", str(tmp_path))
    jobs = plan([load_config(ROOT / "configs" / "quickstart.yaml")], ROOT / "data").jobs
    assert [job.run_id for job in jobs] == [
        "bioregistry/global-3e528a44",
        "bioregistry/sleec-e042f55f",
        "bioregistry/rxml-b639840b",
    ]
