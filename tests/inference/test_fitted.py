"""An opened model: the same everywhere, and on disk until it is used."""

import hashlib
import json
import mmap
import shutil
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

from tests.inference.conftest import METHODS
from tests.inference.posts import assert_close_rankings
from xcbench.data.xc_text import read_xc
from xcbench.errors import DataError, XCBenchError
from xcbench.inference import open_model
from xcbench.inference.manifest import MANIFEST
from xcbench.models import make_model
from xcbench.models.base import InlineExecutor
from xcbench.tasks.xc import open_data, predict_blocks

ELSEWHERE = """
import json, sys
from pathlib import Path
from xcbench.data.xc_text import read_xc
from xcbench.inference import open_model
fitted = open_model(Path(sys.argv[1]))
top = fitted.predict(read_xc(sys.argv[2]).X, 3)
names = [[fitted.label_names[i] for i in row if i >= 0] for row in top.labels.tolist()]
print(json.dumps([top.labels.tolist(), [s.hex() for s in top.scores.ravel().tolist()], names]))
"""


def test_a_moved_folder_predicts_the_same_in_another_process(model_of, posts, tmp_path):
    fitted = model_of("blend")
    test = posts / "posts" / "test.txt"
    (tmp_path / "far").mkdir()
    shutil.copytree(fitted.folder, tmp_path / "far" / "moved")
    command = [sys.executable, "-c", ELSEWHERE, "moved", str(test)]
    done = subprocess.run(command, cwd=tmp_path / "far", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    labels, scores, names = json.loads(done.stdout)
    expected = fitted.predict(read_xc(test).X, 3)
    assert labels == expected.labels.tolist()
    assert scores == [score.hex() for score in expected.scores.ravel().tolist()]
    assert all(name in fitted.label_names for row in names for name in row)


def replaced(folder, out, name, change):
    """A copy of a model folder with one array changed, whose maker wrote its hash too."""
    shutil.copytree(folder, out)
    manifest = json.loads((out / MANIFEST).read_text())
    np.save(out / name, change(np.load(out / name)))
    data = (out / name).read_bytes()
    manifest["files"][name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    (out / MANIFEST).write_text(json.dumps(manifest))
    return out


@pytest.mark.parametrize(
    ("method", "name", "message"),
    [
        ("ridge", "idf.npy", "idf.npy holds float64 of shape"),
        ("ridge", "model/weights.npy", "the model is of"),
        ("global", "model/left.npy", "the model is of"),
        ("maxide", "model/right.npy", "the model is of"),
        ("neighbours", "model/labels_indices.npy", "the three arrays of labels do not fit"),
        ("neighbours", "model/index_indptr.npy", "the three arrays of index do not fit"),
        ("blend", "model/label_indices.npy", "the labels' arrays do not fit"),
    ],
)
def test_arrays_that_do_not_fit_each_other_are_refused(model_of, tmp_path, method, name, message):
    folder = replaced(model_of(method).folder, tmp_path / "m", name, lambda array: array[:-1])
    with pytest.raises(DataError, match=message):
        open_model(folder)


@pytest.mark.parametrize("key", ["n_features", "n_labels"])
@pytest.mark.parametrize("method", METHODS)
def test_a_description_of_other_sizes_is_refused(model_of, tmp_path, method, key):
    folder = shutil.copytree(model_of(method).folder, tmp_path / "m")
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["data"][key] += 1
    (folder / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(DataError, match=r"the model is of \d+ features and 6 labels"):
        open_model(folder)


@pytest.mark.parametrize(
    ("method", "features"),
    [*((method, "tfidf") for method in METHODS), ("blend", "unit"), ("blend", "raw")],
)
def test_raw_rows_are_predicted_as_a_run_predicts_the_test_part(
    model_of, job_of, posts, tmp_path, method, features
):
    job = job_of(method, features)
    data = open_data(job.dataset, posts, 1).prepared
    make_model(job.method.settings, job.seed).fit(data.train).save(tmp_path)
    expected = predict_blocks(tmp_path, data.test, 4, InlineExecutor())
    found = model_of(method, features).predict(read_xc(posts / "posts" / "test.txt").X, 4)
    assert_close_rankings(found, expected)


def is_mapped(array: np.ndarray) -> bool:
    base = array
    while isinstance(base, (np.ndarray, memoryview)):
        base = base.base if isinstance(base, np.ndarray) else base.obj
    return isinstance(base, mmap.mmap)


def test_arrays_stay_on_disk(model_of):
    assert is_mapped(model_of("blend").idf)
    assert is_mapped(model_of("blend").model.labels.indices)
    assert is_mapped(model_of("global").model._left)
    assert is_mapped(model_of("maxide").model._left)
    assert is_mapped(model_of("ridge").model._weights)
    assert is_mapped(model_of("neighbours").model._index.data)


def test_another_number_of_features_is_refused(model_of):
    fitted = model_of("ridge")
    with pytest.raises(DataError, match="the input has 3 features; the model was fitted to"):
        fitted.predict(sparse.csr_array((2, 3), dtype=np.float32), 2)


def test_a_missing_library_is_named(model_of, monkeypatch):
    monkeypatch.setattr("xcbench.models.peers.installed.missing", lambda settings: "no such thing")
    with pytest.raises(XCBenchError, match="no such thing"):
        open_model(model_of("ridge").folder)


def test_settings_that_this_version_does_not_know_are_told_of(model_of, monkeypatch):
    fitted = model_of("ridge")
    monkeypatch.setattr("xcbench.inference.fitted.load_model", lambda folder: {}["gone"])
    with pytest.raises(DataError, match=r"cannot be opened.*fit the model again"):
        open_model(fitted.folder)


def test_texts_are_predicted_as_their_features_are(model_of, posts):
    fitted = model_of("blend")
    texts = (posts / "posts" / "tst_X.txt").read_text().splitlines()
    assert fitted.text is not None
    of_texts, of_features = (
        fitted.predict(texts, 3),
        fitted.predict(fitted.text.transform(texts), 3),
    )
    np.testing.assert_array_equal(of_texts.labels, of_features.labels)
    np.testing.assert_array_equal(of_texts.scores, of_features.scores)


@pytest.mark.parametrize("X", ["a text", [], [1], [["a"]], None, np.ones((2, 3))])
def test_what_is_neither_features_nor_texts_is_told_what_to_be(X, model_of):
    with pytest.raises(TypeError, match=r"expected a scipy csr_array of shape .*list of texts"):
        model_of("blend").predict(X, 3)
