"""What every model of another library must do; each skips where its library is not installed."""

import gc
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from tests.models.test_contract import (
    METHODS,
    assert_same,
    assert_well_formed,
    changed,
    csr,
    first_is_right,
    planted,
)
from xcbench.config.peers import NapkinXCSettings, OmikujiSettings, PecosSettings
from xcbench.data.dataset import Dataset, TopK
from xcbench.errors import DataError, XCBenchError
from xcbench.models import load_model, make_model
from xcbench.models.base import InlineExecutor, is_whole
from xcbench.models.peers import installed, missing
from xcbench.models.peers.pecos import WORKER

PEERS = {
    "omikuji-parabel": OmikujiSettings(),
    "omikuji-bonsai": OmikujiSettings(
        cluster_balanced=False, cluster_k=6, max_depth=3, min_branch_size=6
    ),
    "omikuji-attention": OmikujiSettings(collapse_every_n_layers=5, min_branch_size=2),
    "omikuji, log loss": OmikujiSettings(linear_loss="log", n_trees=1),
    "napkinxc-plt": NapkinXCSettings(),
    "napkinxc-br": NapkinXCSettings(kind="br"),
    "pecos-xrlinear": PecosSettings(),
}


@pytest.fixture(params=PEERS.values(), ids=PEERS.keys())
def settings(request):
    if (what := missing(request.param)) is not None:
        pytest.skip(what)
    return request.param


@pytest.fixture(scope="module")
def train() -> Dataset:
    return planted(240, seed=1)


@pytest.fixture(scope="module")
def test() -> Dataset:
    return planted(80, seed=2)


@pytest.fixture(scope="module")
def fitted(train):
    """Model fitted to ``train`` with seed 0, once for each method."""
    models = {}

    def of(settings):
        if settings not in models:
            models[settings] = make_model(settings, 0).fit(train)
        return models[settings]

    return of


class Executor(InlineExecutor):
    """Two processes of two threads, as far as a library can tell."""

    jobs, threads = 2, 2


def test_planted_labels_are_found(settings, fitted, test):
    model = fitted(settings)
    assert is_whole(model)
    prediction = model.predict(test.X, 5)
    assert_well_formed(prediction, test.n_points, 5, test.n_labels)
    assert first_is_right(prediction, test) > 0.9


def test_a_saved_model_outlives_the_fitted_one_and_predicts_the_same(
    settings, train, test, tmp_path
):
    model = make_model(settings, 3).fit(train)
    expected, size = model.predict(test.X, 5), model.nbytes
    model.save(tmp_path)
    del model
    gc.collect()  # With the model go the files it was trained into.
    opened = load_model(tmp_path)
    assert_same(opened.predict(test.X, 5), expected)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    header = tmp_path / "model.json"
    assert opened.nbytes == size == sum(p.stat().st_size for p in files if p != header) > 0


def test_any_number_of_threads_predicts_the_same(settings, fitted, test):
    model = fitted(settings)
    expected = model.predict(test.X, 5)
    try:
        for model.threads in (2, 3):
            assert_same(model.predict(test.X, 5), expected)
    finally:
        model.threads = 1


def test_the_fit_takes_the_threads_of_all_processes(settings, train, test):
    model = make_model(settings, 0).fit(train, Executor())
    assert model.threads == 4
    assert first_is_right(model.predict(test.X, 1), test) > 0.9


def test_no_rows_and_rows_without_features_are_predicted(settings, fitted, test):
    model = fitted(settings)
    assert_well_formed(model.predict(test.X[:0], 3), 0, 3, test.n_labels)
    blank = test.X.toarray()
    blank[::2] = 0
    assert_well_formed(model.predict(csr(blank), 3), test.n_points, 3, test.n_labels)


def test_k_beyond_the_labels_is_padded(settings, fitted, test):
    k = test.n_labels + 5
    prediction = fitted(settings).predict(test.X, k)
    assert_well_formed(prediction, test.n_points, k, test.n_labels)
    assert (prediction.labels[:, -5:] == -1).all()


def test_training_rows_without_labels_or_features_do_no_harm(settings, train, test):
    X, Y = train.X.toarray(), train.Y.toarray()
    X[::9] = 0
    Y[::7] = 0
    model = make_model(settings, 0).fit(changed(train, X=X, Y=Y))
    assert first_is_right(model.predict(test.X, 1), test) > 0.9


def test_data_without_any_label_are_refused(settings, train):
    with pytest.raises(DataError, match="no training row has a label"):
        make_model(settings, 0).fit(changed(train, Y=np.zeros(train.Y.shape)))


def test_impossible_requests_are_refused_before_the_library_is_asked(settings, fitted, test):
    model = fitted(settings)
    with pytest.raises(ValueError, match="k is 0"):
        model.predict(test.X, 0)
    with pytest.raises(ValueError, match="features"):
        model.predict(csr(np.ones((2, test.n_features + 1))), 3)


def test_the_models_own_clock_and_the_librarys_version_are_kept(settings, fitted, test, tmp_path):
    model = fitted(settings)
    model.predict(test.X, 3)
    assert model.wall_seconds["train"] > 0
    assert model.wall_seconds["predict"] > 0
    assert model.stage_seconds == {settings.model: model.wall_seconds["train"]}
    model.save(tmp_path)
    opened = load_model(tmp_path)
    assert opened.wall_seconds["train"] == model.wall_seconds["train"]
    assert opened.version == model.version
    assert model.version[0].isdigit()


def test_nothing_is_written_to_the_terminal(settings, train, test, capfd):
    make_model(settings, 0).fit(train).predict(test.X, 3)
    assert capfd.readouterr() == ("", "")


def test_options_reach_the_library(settings, train, test):
    """Every weight pruned: nothing but the bias is left to tell rows apart by."""
    threshold = {
        "omikuji": "linear_weight_threshold", "napkinxc": "weights_threshold", "pecos": "threshold",
    }[settings.model]  # fmt: skip
    pruned = settings.model_copy(update={threshold: 1e6})
    prediction = make_model(pruned, 0).fit(train).predict(test.X, 1)
    assert np.unique(prediction.labels).size == 1


@pytest.mark.parametrize("library", ["omikuji", "napkinxc"])
def test_a_missing_library_is_named_with_what_installs_it(library, monkeypatch, train):
    monkeypatch.setattr(installed, "find_spec", lambda name: None)
    settings = OmikujiSettings() if library == "omikuji" else NapkinXCSettings()
    with pytest.raises(XCBenchError, match=r"is not installed: pip install 'xcbench\[peers\]'"):
        make_model(settings, 0).fit(train)


def test_a_missing_python_for_pecos_is_named_with_what_makes_it(monkeypatch, tmp_path):
    monkeypatch.setenv(installed.PECOS_PYTHON, str(tmp_path / "nowhere"))
    text = missing(PecosSettings())
    assert str(tmp_path / "nowhere") in text
    assert "make peers" in text
    assert installed.PECOS_PYTHON in text


def test_a_python_without_libpecos_is_told_from_one_that_does_not_run(monkeypatch, tmp_path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    monkeypatch.setenv(installed.PECOS_PYTHON, str(python))
    assert missing(PecosSettings()).startswith(f"libpecos is not installed for {python}: ")


@pytest.fixture
def fake_pecos(monkeypatch, tmp_path):
    """Put a script in the place of PECOS's Python; it finds the exchange folder in $4's place."""

    def install(body: str) -> None:
        python = tmp_path / "python"
        # called as: python -I WORKER FOLDER, and once as: python -I -c 'import pecos'
        python.write_text(f'#!/bin/sh\n[ "$2" = -c ] && exit 0\ncp "$3/job.json" .\n{body}\n')
        python.chmod(0o755)
        monkeypatch.setenv(installed.PECOS_PYTHON, str(python))
        monkeypatch.chdir(tmp_path)

    return install


def test_the_worker_gets_options_threads_and_seed_and_its_clock_counts(fake_pecos, train, tmp_path):
    fake_pecos("""echo '{"seconds": 12.5, "version": "1.2.3"}' > "$3/result.json" """)
    model = make_model(PecosSettings(threshold=0.25), 2**31 + 7).fit(train, Executor())
    assert (model.wall_seconds["train"], model.version) == (12.5, "1.2.3")
    job = json.loads((tmp_path / "job.json").read_text())
    assert job["action"] == "train"
    assert job["options"]["threshold"] == 0.25
    assert (job["options"]["threads"], job["options"]["seed"]) == (4, 7)


def test_a_worker_that_fails_is_told_with_its_last_words(fake_pecos, train):
    fake_pecos("echo first >&2; echo 'ValueError: the tree is cursed' >&2; exit 3")
    with pytest.raises(Exception, match=r"PECOS ended with code 3.*ValueError: the tree is cursed"):
        make_model(PecosSettings(), 0).fit(train)


def test_equal_scores_are_ranked_by_label(train):
    from xcbench.models.peers.base import _ranked

    labels = np.array([[5, 2, 9, -1], [1, -1, -1, -1]], np.int32)
    scores = np.array([[0.5, 0.5, 0.7, -np.inf], [0.1, -np.inf, -np.inf, -np.inf]], np.float32)
    found = TopK(*_ranked(labels, scores))
    assert found.labels.tolist() == [[9, 2, 5, -1], [1, -1, -1, -1]]
    assert_well_formed(found, 2, 4, 10)


def test_an_unfitted_model_looks_at_no_file(monkeypatch, tmp_path):
    (tmp_path / "large").write_bytes(bytes(1000))
    monkeypatch.chdir(tmp_path)
    for settings in PEERS.values():
        model = make_model(settings, 0)
        assert is_whole(model)
        assert model.nbytes == 0


def test_a_model_of_ours_is_not_whole():
    assert not any(is_whole(make_model(settings, 0)) for settings in METHODS.values())


def test_the_worker_ends_when_its_parent_does(tmp_path):
    os.mkfifo(tmp_path / "job.json")  # It waits for the job for ever.
    command = [sys.executable, "-I", str(WORKER), str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as worker:
        with pytest.raises(subprocess.TimeoutExpired):
            worker.wait(timeout=0.3)
        worker.stdin.close()
        assert worker.wait(timeout=20) == 1
