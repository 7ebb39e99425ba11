"""``xcbench evaluate`` against napkinXC, against pyxclib's definitions, and by hand."""

import csv
import io
import json

import napkinxc.metrics as napkin
import numpy as np
import pytest
from scipy import sparse
from typer.testing import CliRunner

from xcbench.cli.main import app

N, L, N_TRAIN = 60, 17, 90
K = [1, 3, 5]


def run(*words):
    return CliRunner().invoke(app, ["evaluate", *(str(word) for word in words)])


def metrics(*words):
    done = run(*words, "--format", "json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)["metrics"]


def write_matrix(path, matrix, form="%g"):
    rows = [
        " ".join(f"{j}:{form % row[j]}" for j in np.flatnonzero(row)) for row in np.asarray(matrix)
    ]
    path.write_text(f"{len(rows)} {len(matrix[0])}\n" + "".join(f"{row}\n" for row in rows))
    return path


@pytest.fixture(scope="module")
def problem(tmp_path_factory):
    """Scores with ties and short rows, truth with rows without labels, training labels."""
    rng = np.random.default_rng(3)
    folder = tmp_path_factory.mktemp("evaluate")
    scores = np.round(rng.random((N, L)), 1) * (rng.random((N, L)) < 0.3)
    truth = (rng.random((N, L)) < 0.15).astype(float)
    truth[::9] = 0
    train = (rng.random((N_TRAIN, L)) < np.linspace(0.02, 0.5, L)).astype(float)
    for name, matrix in (("scores", scores), ("truth", truth), ("train", train)):
        write_matrix(folder / f"{name}.txt", matrix)
        sparse.save_npz(folder / f"{name}.npz", sparse.csr_array(matrix))
    return folder, scores, truth, train


def ranked(scores):
    """Positive scores, best first, equal ones by the smaller label."""
    return [[j for j in np.argsort(-row, kind="stable") if row[j] > 0] for row in scores]


def test_all_metrics_are_those_of_napkinxc(problem):
    folder, scores, truth, train = problem
    ours = metrics(folder / "scores.txt", folder / "truth.txt", "--train", folder / "train.npz")
    true, predicted = [np.flatnonzero(row).tolist() for row in truth], ranked(scores)
    weights = napkin.Jain_et_al_inverse_propensity(sparse.csr_matrix(train), A=0.55, B=1.5)
    theirs = {
        "P": napkin.precision_at_k(true, predicted, k=5),
        "nDCG": napkin.ndcg_at_k(true, predicted, k=5),
        "PSP": napkin.psprecision_at_k(true, predicted, weights, k=5),
        "PSnDCG": napkin.psndcg_at_k(true, predicted, weights, k=5),
    }
    for name, values in theirs.items():
        for k in K:
            assert ours[f"{name}@{k}"] == pytest.approx(100 * values[k - 1], abs=1e-9)


def pyxclib(scores, truth, train, a, b):
    """Its definitions: hits of the k best labels, gains, and ratios to the best attainable."""
    n_train = len(train)
    c = (np.log(n_train) - 1) * (b + 1) ** a
    weights = 1 + c * (train.sum(axis=0) + b) ** -a
    discount = 1 / np.log2(np.arange(2, 7))
    sums = dict.fromkeys([f"{name}@{k}" for name in ("P", "nDCG") for k in K], 0.0)
    parts = {f"{name}@{k}": np.zeros(2) for name in ("PSP", "PSnDCG") for k in K}
    for row, best in enumerate(ranked(scores)):
        hit = np.array([truth[row, j] for j in best[:5]] + [0.0] * (5 - len(best[:5])))
        gain = hit * np.array([weights[j] for j in best[:5]] + [0.0] * (5 - len(best[:5])))
        ideal = np.sort(weights * truth[row])[::-1][:5]
        n_true = int(truth[row].sum())
        for k in K:
            possible = discount[: max(1, min(k, n_true))].sum()
            sums[f"P@{k}"] += hit[:k].sum() / k
            sums[f"nDCG@{k}"] += hit[:k] @ discount[:k] / possible
            parts[f"PSP@{k}"] += gain[:k].sum() / k, ideal[:k].sum() / k
            both = np.array([gain[:k] @ discount[:k], ideal[:k] @ discount[:k]])
            parts[f"PSnDCG@{k}"] += both / possible
    means = {name: 100 * value / len(truth) for name, value in sums.items()}
    return means | {name: 100 * got / best for name, (got, best) in parts.items()}


def test_all_metrics_are_those_of_pyxclibs_definitions(problem):
    folder, scores, truth, train = problem
    expected = pyxclib(scores, truth, train, 0.6, 2.6)
    words = ("--train", folder / "train.txt", "--a", 0.6, "--b", 2.6)
    for form in ("scores.txt", "scores.npz"):
        ours = metrics(folder / form, folder / "truth.npz", *words)
        assert ours.keys() == expected.keys()
        assert list(ours.values()) == pytest.approx([expected[name] for name in ours], abs=1e-9)


# Two rows, labels 0 to 3, best label first; the truth in brackets.
#   row 0: 3 2 0 1  [0 2]   filtered 3:  2 0 1
#   row 1: 1 0 2    [1]     filtered 1:  0 2      label 1 is true and can now only be missed
# P@1:    before  0, 1        -> 50          after  1, 0     -> 50
# P@3:    before  2/3, 1/3    -> 50          after  2/3, 0   -> 33.33
# nDCG@3: before  row 0 (1/log2(3) + 1/2) / (1 + 1/log2(3)) = 1.13093 / 1.63093 = 0.69343,
#                 row 1 1     -> 84.67       after  1, 0     -> 50
@pytest.mark.parametrize(
    ("words", "expected"),
    [([], [50, 50, 50, 84.6713]), (["--filter-labels", "filter"], [50, 100 / 3, 50, 50])],
)
def test_filtered_pairs_leave_the_predictions_and_stay_in_the_truth(
    words, expected, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scores").write_text("2 4\n0:0.5 1:0.1 2:0.8 3:0.9\n0:0.6 1:0.7 2:0.2\n")
    (tmp_path / "truth").write_text("2 4\n0:1 2:1\n1:1\n")
    (tmp_path / "filter").write_text("0 3\n1 1\n")
    found = metrics("scores", "truth", "--k", "1,3", *words)
    assert list(found) == ["P@1", "P@3", "nDCG@1", "nDCG@3"]
    assert list(found.values()) == pytest.approx(expected, abs=1e-4)


def test_a_dataset_gives_truth_training_labels_and_constants(problem, tmp_path):
    folder, scores, truth, train = problem
    home = tmp_path / "amazon-670k"
    home.mkdir()
    for part, matrix in (("train", train), ("test", truth)):
        rows = [",".join(map(str, np.flatnonzero(row))) for row in matrix]
        lines = "".join(f"{row} 0:1\n" for row in rows)
        (home / f"{part}.txt").write_text(f"{len(rows)} 1 {L}\n{lines}")
    done = run(folder / "scores.txt", "amazon-670k", "--data", tmp_path, "--format", "json")
    found = json.loads(done.stdout)
    assert (found["propensity_a"], found["propensity_b"]) == (0.6, 2.6)
    assert found["metrics"] == pytest.approx(pyxclib(scores, truth, train, 0.6, 2.6), abs=1e-9)


def test_every_form_is_printed_and_rows_without_labels_are_counted(problem):
    folder, _, truth, _ = problem
    empty = int((truth.sum(axis=1) == 0).sum())
    table = run(folder / "scores.txt", folder / "truth.txt")
    assert f"rows without labels       {empty}" in table.stdout
    assert "nDCG" in table.stdout
    assert "PSP" not in table.stdout
    rows = list(
        csv.DictReader(
            io.StringIO(run(folder / "scores.txt", folder / "truth.txt", "--format", "csv").stdout)
        )
    )
    found = metrics(folder / "scores.txt", folder / "truth.txt")
    assert {f"{row['metric']}@{row['k']}": float(row["percent"]) for row in rows} == found


def test_names_stand_for_labels_only_when_they_are_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "truth").write_text("2 3\n1:1\n0:1\n")
    (tmp_path / "Yf.txt").write_text("owl\nred fox\nelk\n")
    (tmp_path / "p").write_text("red fox\telk\nowl\n")
    assert metrics("p", "truth", "--k", "1", "--names", "Yf.txt")["P@1"] == 100
    assert run("p", "truth").exit_code == 3


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        (["p", "truth", "--k", "0"], 2, "--k '0': expected numbers from 1"),
        (["p", "truth", "--a", "1"], 2, "--a and --b are of PSP"),
        (["p", "truth", "--train", "truth", "--b", "0"], 2, "--b 0: expected more than 0"),
        (["p", "three"], 3, "p: predictions of 2 rows; expected 3"),
        (["p", "no/such"], 3, "no/such: no such file"),
        (["no", "truth"], 3, "no: no such file"),
        (["p", "truth", "--filter-labels", "p"], 3, "p, line 1: found '1'"),
    ],
)
def test_a_mistake_is_said_in_one_line(words, code, reason, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p").write_text("1\n0\n")
    (tmp_path / "truth").write_text("2 3\n1:1\n0:1\n")
    (tmp_path / "three").write_text("3 3\n\n\n\n")
    done = run(*words)
    assert done.exit_code == code
    assert done.stderr.startswith(f"error: {reason}")
    assert done.stderr.count("\n") == 1


def test_parts_of_different_width_are_said_and_read_with_the_larger(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p").write_text("1\n3\n")
    (tmp_path / "truth").write_text("2 3\n1:1\n0:1\n")
    (tmp_path / "train").write_text("3 4\n1:1\n3:1\n0:1\n")
    done = run("p", "truth", "--train", "train", "--k", "1")
    assert "warning: truth states 3 labels, train 4" in done.stderr
    assert done.exit_code == 0
