import fcntl
import hashlib
import json
import os
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xcbench.data.catalogue import catalogue
from xcbench.data.load import load
from xcbench.data.sources import Sources, other_folders
from xcbench.data.statistics import statistics
from xcbench.data.synthesis import make
from xcbench.data.synthesis.make import GENERATOR, SynthesisShape, synthesize
from xcbench.data.synthesis.room import memory_bytes, text_bytes
from xcbench.data.synthesis.shape import read_note
from xcbench.data.synthesis.tables import make_tables
from xcbench.errors import ConfigError, DataError

SMALL = SynthesisShape(300, 90, 200, 120, 12.0, 3.0)


def texts(folder):
    return {name: (folder / name).read_bytes() for name in ("train.txt", "test.txt")}


def parts_of(folder):
    return load(Sources("made", "files", (folder / "train.txt", folder / "test.txt")))


@pytest.fixture(scope="module")
def amazon(tmp_path_factory):
    """Amazon-670K at one hundredth."""
    folder = tmp_path_factory.mktemp("synthesis") / "amazon"
    shape = SynthesisShape.like(catalogue()["amazon-670k"], 0.01)
    synthesize(folder, shape, 0)
    return shape, parts_of(folder)


def test_the_bytes_are_those_of_every_machine_and_version(tmp_path):
    synthesize(tmp_path / "a", SMALL, 0)
    digest = hashlib.sha256(b"".join(texts(tmp_path / "a").values())).hexdigest()
    assert digest == "e7289c24b66226a58ec8eeb9602b29a1963fe0f44fa419c983137da9ebc2c5db"


def test_seed_and_shape_alone_decide_the_bytes(tmp_path, monkeypatch):
    synthesize(tmp_path / "a", SMALL, 3)
    synthesize(tmp_path / "c", SMALL, 4)
    monkeypatch.setattr(make, "_BLOCK_BYTES", 5000)  # a few rows at once
    synthesize(tmp_path / "b", SMALL, 3)
    assert texts(tmp_path / "a") == texts(tmp_path / "b")
    assert texts(tmp_path / "a") != texts(tmp_path / "c")


@settings(deadline=None, max_examples=40)
@given(
    n=st.integers(1, 80), n_test=st.integers(1, 9), d=st.integers(1, 90),
    n_labels=st.integers(1, 90), share_of_features=st.floats(0, 1),
    share_of_labels=st.floats(0, 1), seed=st.integers(0, 2**63 - 1),
)  # fmt: skip
def test_every_shape_makes_text_that_reads_back_and_trains_every_label(
    tmp_path_factory, n, n_test, d, n_labels, share_of_features, share_of_labels, seed
):
    shape = SynthesisShape(
        n,
        n_test,
        d,
        n_labels,
        1 + share_of_features * (d - 1),
        1 + share_of_labels * (n_labels - 1),
    )
    folder = tmp_path_factory.mktemp("shape") / "made"
    synthesize(folder, shape, seed)
    parts = parts_of(folder)
    assert parts.train.X.shape == (n, d)
    assert parts.test.Y.shape == (n_test, n_labels)
    assert parts.train.n_duplicate_labels == parts.test.n_duplicate_labels == 0
    assert np.diff(parts.train.Y.indptr).min() >= 1
    assert np.diff(parts.train.X.indptr).min() >= 1
    assert parts.train.X.data.min() > 0
    assert statistics(parts).labels_without_training_rows == 0


def test_the_averages_and_power_laws_are_those_asked_for(amazon):
    shape, parts = amazon
    found = statistics(parts)
    assert found.features_per_point == pytest.approx(shape.features_per_point, rel=0.03)
    assert found.labels_per_point == pytest.approx(shape.labels_per_point, rel=0.02)
    assert found.labels_without_training_rows == 0
    assert found.labels_below_ten > 0.9
    assert found.label_exponent == pytest.approx(9 / 16, abs=0.1)
    assert 0.6 < found.feature_exponent < 1.1
    assert np.diff(parts.train.X.indptr).std() > 0.4 * shape.features_per_point
    lengths = np.sqrt(parts.train.X.multiply(parts.train.X).sum(axis=1))
    np.testing.assert_allclose(lengths, 1, atol=0.01)


def test_full_amazon_has_a_heaviest_label_of_a_few_thousand_points():
    entry = catalogue()["amazon-670k"]
    tables = make_tables(
        entry.n_train, entry.n_features, entry.n_labels,
        entry.features_per_point, entry.labels_per_point, 1,
    )  # fmt: skip
    lengths = np.diff(tables.label_ends, prepend=0)
    assert lengths.sum() == tables.n_columns * entry.n_train
    assert lengths.min() >= 1
    # A point has this share of the labels of its place, but for those whose middle it is.
    pairs, places = entry.n_train * entry.labels_per_point, int(lengths.sum())
    share = (pairs - entry.n_labels) / (places - entry.n_labels)
    points = 1 + share * (lengths - 1)
    assert 2000 < points.max() < 5000
    assert (points < 10).mean() > 0.9


def test_neighbours_tell_labels_that_popularity_does_not_and_not_all(amazon):
    _, parts = amazon
    similarity = (parts.test.X[:400] @ parts.train.X.T).toarray()
    nearest = np.argsort(-similarity, axis=1, kind="stable")[:, :10]
    votes = sum(parts.train.Y[nearest[:, i]].toarray() for i in range(10))
    truth = parts.test.Y[:400].toarray()
    right = truth[np.arange(400), votes.argmax(axis=1)].mean()
    popular = truth[:, parts.train.Y.sum(axis=0).argmax()].mean()
    assert 0.25 < right < 0.65
    assert popular < 0.1


def test_a_scale_grows_the_vocabulary_by_its_root():
    entry = catalogue()["amazon-670k"]
    assert SynthesisShape.like(entry, 1.0) == SynthesisShape(
        490449, 153025, 135909, 670091, 75.68, 5.45, "amazon-670k", 1.0
    )
    quarter = SynthesisShape.like(entry, 0.25)
    assert (quarter.n_train, quarter.n_test) == (122612, 38256)
    assert (quarter.n_features, quarter.n_labels) == (67954, 167523)
    assert quarter.labels_per_point == 5.45


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"n_train": 0}, "n_train is 0; expected 1 to 2147483647"),
        ({"n_labels": 2**31}, "n_labels is 2147483648; expected 1 to 2147483647"),
        ({"labels_per_point": 0.5}, "labels_per_point is 0.5; expected 1 to the 120 labels"),
        (
            {"features_per_point": 201.0},
            "features_per_point is 201; expected 1 to the 200 features",
        ),
    ],
)
def test_a_shape_that_cannot_be_is_refused(change, reason):
    with pytest.raises(ConfigError, match=reason):
        replace(SMALL, **change)


def test_a_scale_and_averages_there_must_be():
    entry = catalogue()["amazon-670k"]
    for scale in (0.0, -1.0, 1e-9, 1e4, 1e308, float("inf"), float("nan")):
        with pytest.raises(ConfigError, match=r"^scale \S+: expected about 9e-06 to 3.2e\+03 for"):
            SynthesisShape.like(entry, scale)
    unknown = entry.model_copy(update={"features_per_point": None})
    with pytest.raises(ConfigError, match="does not know how many features"):
        SynthesisShape.like(unknown, 1.0)


def test_the_note_says_how_the_data_was_made(tmp_path):
    synthesize(tmp_path / "a", SMALL, 5)
    note = read_note(tmp_path / "a")
    assert (note.shape, note.seed, note.generator) == (SMALL, 5, GENERATOR)
    assert read_note(tmp_path) is None
    for text in ("", "[]", '{"seed": 1}', json.dumps({"seed": 1, "xcbench": "0", "n_train": 1})):
        (tmp_path / "a" / "synth.json").write_text(text)
        with pytest.raises(DataError, match=r"synth\.json: not the note of made-up data"):
            read_note(tmp_path / "a")


def test_what_is_there_is_kept_unless_it_was_made_up_and_force_is_said(tmp_path):
    folder = tmp_path / "a"
    synthesize(folder, SMALL, 0)
    before = texts(folder)
    with pytest.raises(ConfigError, match="is there already"):
        synthesize(folder, SMALL, 1)
    assert texts(folder) == before
    (folder / "mine.txt").write_text("mine")
    with pytest.raises(ConfigError, match="not only, made-up data"):
        synthesize(folder, SMALL, 1, force=True)
    (folder / "mine.txt").unlink()
    synthesize(folder, SMALL, 1, force=True)
    assert texts(folder) != before
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_what_came_into_the_folder_meanwhile_is_kept(tmp_path):
    folder = tmp_path / "a"
    synthesize(folder, SMALL, 0)

    def meanwhile(count):
        (folder / "mine.txt").write_text("mine")

    with pytest.raises(ConfigError, match="not only, made-up data"):
        synthesize(folder, SMALL, 1, force=True, advance=meanwhile)
    assert (folder / "mine.txt").read_text() == "mine"


def test_room_is_estimated_as_what_is_taken(tmp_path, amazon):
    for number, shape in enumerate((amazon[0], SMALL, replace(SMALL, n_labels=30_000))):
        folder = tmp_path / str(number)
        synthesize(folder, shape, 0)
        taken = sum(map(len, texts(folder).values()))
        assert text_bytes(shape) == pytest.approx(taken, rel=0.06)


@pytest.mark.parametrize(
    ("n", "d", "n_labels"), [(1000, 200_000, 50), (1000, 50, 200_000), (10**6, 10**5, 10**5)]
)
def test_tables_take_no_more_memory_than_estimated_and_not_far_less(n, d, n_labels):
    shape = SynthesisShape(n, 1, d, n_labels, 12.0, 3.0)
    tracemalloc.start()
    make_tables(n, d, n_labels, 12.0, 3.0, 1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0.5 * memory_bytes(shape) < peak < 1.1 * memory_bytes(shape)


def test_a_full_disk_is_one_error_and_leaves_nothing(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DataError, match=r"a: cannot be written \(No space left on device\)"):
        synthesize(tmp_path / "a", SMALL, 0)
    assert list(tmp_path.iterdir()) == []


def test_what_a_kill_left_is_no_dataset_and_is_overwritten(tmp_path):
    left = tmp_path / ".a.synth"
    left.mkdir()
    for name in ("train.txt", "test.txt", "test.txt.part"):
        (left / name).write_text("1 1 1\n0 0:1\n")
    assert other_folders(tmp_path) == []
    synthesize(tmp_path / "a", SMALL, 0)
    assert other_folders(tmp_path) == ["a"]
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == [
        "synth.json", "test.txt", "train.txt",
    ]  # fmt: skip


def test_two_processes_do_not_write_the_same_folder(tmp_path):
    work = tmp_path / ".a.synth"
    work.mkdir()
    held = os.open(work, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    try:
        with pytest.raises(DataError, match="another process is writing it"):
            synthesize(tmp_path / "a", SMALL, 0)
    finally:
        os.close(held)
    assert work.is_dir()


def test_whoever_watches_is_told_of_every_point(tmp_path):
    told = []
    synthesize(tmp_path / "a", SMALL, 0, advance=told.append)
    assert sum(told) == SMALL.n_train + SMALL.n_test
