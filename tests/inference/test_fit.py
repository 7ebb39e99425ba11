"""What is in a model folder, and what is refused before one is made."""

import json
import pickletools

import numpy as np
import pytest

from tests.conftest import ROOT
from tests.inference.conftest import METHODS
from tests.inference.posts import TAGS, write_posts
from xcbench.config.loader import load_config
from xcbench.data.features import idf
from xcbench.data.xc_text import read_xc
from xcbench.errors import ConfigError, DataError
from xcbench.inference.fit import fit_model, require_xc
from xcbench.models.base import InlineExecutor
from xcbench.tasks.xc import open_data


def test_a_folder_describes_itself(model_of, posts, job_of):
    fitted = model_of("blend")
    manifest = json.loads((fitted.folder / "xcbench-model.json").read_text())
    data = manifest["data"]
    assert (data["name"], data["split"]) == ("posts", 1)
    assert (data["n_train"], data["n_labels"]) == (60, len(TAGS))
    assert [source["name"] for source in data["sources"]] == ["train.txt", "test.txt"]
    assert {"xcbench", "python", "numpy", "scipy", "numba", "scikit-learn"} == {
        *manifest["versions"]
    }
    there = {
        path.relative_to(fitted.folder).as_posix()
        for path in fitted.folder.rglob("*")
        if path.is_file()
    }
    assert there - {"xcbench-model.json"} == {*manifest["files"]}
    assert {"Yf.txt", "Xf.txt", "text.json", "trn_X.txt", "idf.npy", "config.yaml"} < there
    assert load_config(fitted.folder / "config.yaml").jobs() == [job_of("blend")]
    assert str(posts) not in (fitted.folder / "xcbench-model.json").read_text()


@pytest.mark.parametrize("method", METHODS)
def test_nothing_in_a_folder_is_a_pickle(model_of, method):
    for path in model_of(method).folder.rglob("*"):
        if path.is_file():
            assert path.suffix in (".npy", ".json", ".yaml", ".txt")
            if path.suffix == ".npy":
                np.load(path, allow_pickle=False)
            with pytest.raises((ValueError, UnicodeDecodeError)):
                list(pickletools.genops(path.read_bytes()))


def test_idf_is_that_of_the_training_counts(model_of, posts):
    expected = idf(read_xc(posts / "posts" / "train.txt").X)
    np.testing.assert_array_equal(model_of("ridge").idf, expected)


def test_unit_and_raw_features_need_no_idf(model_of):
    for features in ("unit", "raw"):
        fitted = model_of("ridge", features)
        assert fitted.idf is None
        assert not (fitted.folder / "idf.npy").exists()


def test_texts_are_left_out_where_rows_are_held_out(job_of, fit_into, tmp_path, caplog):
    job = job_of("neighbours", more=", held_out: {share: 0.2}")
    folder = fit_into(job, tmp_path / "m")
    assert not (folder / "trn_X.txt").exists()
    manifest = json.loads((folder / "xcbench-model.json").read_text())
    assert manifest["data"]["n_train"] == 48
    assert "it has 60 lines, the training part 48 rows" in caplog.text


def test_names_of_another_number_are_refused_before_the_fit(job_of, tmp_path):
    write_posts(tmp_path / "posts")
    (tmp_path / "posts" / "Yf.txt").write_text("a\nb\n")
    job = job_of("neighbours")
    (tmp_path / "m").mkdir()
    with pytest.raises(DataError, match=r"Yf\.txt: found 2 names; expected 6"):
        fit_model(job, open_data(job.dataset, tmp_path, 1), tmp_path / "m", InlineExecutor())
    assert list((tmp_path / "m").iterdir()) == []


def test_other_tasks_are_refused():
    job = load_config(ROOT / "configs" / "recovery.yaml").jobs()[0]
    with pytest.raises(ConfigError, match="task matrix_recovery: there is no model to keep"):
        require_xc(job)
