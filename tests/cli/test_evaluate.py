"""``xcbench evaluate`` against napkinXC, against pyxclib's definitions, and by hand."""

import csv
import io
import json
import os

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


NAMES = "owl\nred fox\nelk\n"


@pytest.fixture
def named(tmp_path, monkeypatch):
    """A truth with names beside it, and the same truth as the test part of data/birds."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("XCBENCH_DATA", raising=False)
    home = tmp_path / "data" / "birds"
    home.mkdir(parents=True)
    for folder in (tmp_path, home):
        (folder / "Yf.txt").write_text(NAMES)
    (tmp_path / "truth").write_text("2 3\n1:1\n0:1\n")
    for part in ("train", "test"):
        (home / f"{part}.txt").write_text("2 1 3\n1 0:1\n0 0:1\n")
    return tmp_path


@pytest.mark.parametrize("truth", ["truth", "birds"])
@pytest.mark.parametrize(
    "text",
    [
        "red fox\telk\nowl\n",
        "1,2\n0\n",
        "1:0.5 2:0.1\n0:0.3\n",
        '{"names": ["red fox"]}\n{"names": ["owl", "elk"]}\n',
        '{"labels": [1], "names": ["red fox"]}\n{"labels": [0], "names": ["owl"]}\n',
        "row\trank\tlabel\tscore\tname\n0\t1\t1\t0.5\tred fox\n1\t1\t0\t0.5\towl\n",
    ],
)
def test_names_beside_the_truth_stand_for_labels_and_numbers_still_do(text, truth, named):
    (named / "p").write_text(text)
    assert metrics("p", truth, "--k", "1")["P@1"] == 100


@pytest.mark.parametrize(
    "text",
    [
        '{"labels": [1], "names": ["owl"]}\n{"labels": [0], "names": ["red fox"]}\n',
        "row\trank\tlabel\tscore\tname\n0\t1\t1\t0.5\towl\n",
    ],
)
def test_another_numbering_of_the_labels_is_no_result(text, named):
    (named / "p").write_text(text)
    for truth in ("truth", "birds", "data/birds"):
        done = run("p", truth)
        assert (done.exit_code, done.stdout) == (3, "")
        assert "label 1 is called 'owl'; its name is 'red fox'" in done.stderr


def test_names_that_are_given_come_before_those_beside_the_truth(named):
    (named / "names").write_text("1\n0\n2\n")
    (named / "p").write_text("0\n1\n")
    assert metrics("p", "truth", "--k", "1", "--names", "names")["P@1"] == 100
    assert metrics("p", "truth", "--k", "1")["P@1"] == 0


def test_names_of_other_labels_beside_the_truth_are_said_and_not_used(named):
    (named / "Yf.txt").write_text("owl\n")
    (named / "p").write_text('{"labels": [1], "names": ["red fox"]}\n{"labels": [0]}\n')
    done = run("p", "truth")
    assert done.exit_code == 0
    assert "warning: Yf.txt: found 1 names; expected 3, one a line; names are not" in done.stderr
    (named / "p").write_text('{"names": ["red fox"]}\n{"names": ["owl"]}\n')
    assert "line 1: found names without labels" in run("p", "truth").stderr


def test_a_folder_is_the_dataset_in_it(named):
    (named / "p").write_text("1\n0\n")
    expected = metrics("p", "birds")
    for folder in ("data/birds", "data/birds/", "data/../data/birds", named / "data" / "birds"):
        assert metrics("p", folder) == expected


def test_arguments_in_the_wrong_order_are_recognised(named):
    (named / "p.tsv").write_text("row\trank\tlabel\tscore\n0\t1\t1\t0.5\n")
    for dataset in ("birds", "data/birds", "bibtex"):
        done = run(dataset, "p.tsv")
        assert done.exit_code == 2
        assert f"did you mean `xcbench evaluate p.tsv {dataset}`?" in done.stderr
    assert "p.tsv: it holds predictions" in run("truth", "p.tsv").stderr


def test_that_nothing_is_right_is_said(named):
    (named / "p").write_text("2\n2\n")
    assert "p: not one prediction is right" in run("p", "truth").stderr


@pytest.mark.parametrize(
    ("rows", "code", "reason"),
    [
        (range(2), 0, "predictions end at row 1 of 4, counted from 0"),
        (range(4), 0, ""),
        (range(5), 3, "found row 4; expected rows 0 to 3"),
    ],
)
def test_a_table_of_other_rows_than_the_truth_is_said(rows, code, reason, named):
    table = "".join(f"{row}\t1\t1\t0.5\n" for row in rows)
    (named / "p").write_text(f"row\trank\tlabel\tscore\n{table}")
    (named / "truth").write_text("4 3\n1:1\n1:1\n1:1\n1:1\n")
    done = run("p", "truth", "--k", "1")
    assert done.exit_code == code
    assert reason in done.stderr
    assert bool(done.stderr) == bool(reason)


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        (["p", "truth", "--k", "0"], 2, "--k '0': expected numbers from 1"),
        (["p", "truth", "--a", "1"], 2, "--a and --b are of PSP"),
        (["p", "truth", "--train", "truth", "--b", "0"], 2, "--b 0: expected more than 0"),
        (["p", "truth", "--train", "truth", "--b", "nan"], 2, "--b nan: expected more than 0"),
        (["p", "truth", "--train", "truth", "--b", "1e308"], 2, "--b 1e+308: expected more than 0"),
        (["p", "truth", "--train", "truth", "--a", "nan"], 2, "--a nan: expected 0 to 10"),
        (["p", "truth", "--train", "truth", "--a", "inf"], 2, "--a inf: expected 0 to 10"),
        (["p", "truth", "--train", "truth", "--a=-1"], 2, "--a -1: expected 0 to 10"),
        (["pipe", "truth"], 3, "pipe: not a file but a stream"),
        (["p", "pipe"], 3, "pipe: not a file but a stream"),
        (["p", "truth", "--train", "pipe"], 3, "pipe: not a file but a stream"),
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
    os.mkfifo(tmp_path / "pipe")
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


def test_constants_that_are_given_count_also_as_zero(problem):
    """With A of 0 all weights are equal."""
    folder, scores, truth, train = problem
    words = (folder / "scores.txt", folder / "truth.txt", "--train", folder / "train.txt")
    expected = pyxclib(scores, truth, train, 0, 1.5)
    assert metrics(*words, "--a", "0") == pytest.approx(expected, abs=1e-9)
    assert metrics(*words)["PSP@5"] != pytest.approx(expected["PSP@5"], abs=1e-3)


def test_rows_numbered_from_one_and_short_lists_are_said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{row}\t{rank}\t{rank - 1}\t0" for row, rank in ((1, 1), (1, 2), (2, 1))]
    (tmp_path / "p").write_text("row\trank\tlabel\tscore\n" + "\n".join(lines))
    (tmp_path / "truth").write_text("4 3\n1:1\n0:1\n\n\n")
    done = run("p", "truth", "--k", "1,2", "--format", "json")
    assert done.stderr == (
        "warning: p: 2 of 4 rows have no predictions and count as misses; the first is row 0 "
        "and predictions end at row 2 of 4, counted from 0\n"
        "warning: p: 3 of 4 rows have fewer than 2 predictions; P@k counts what is missing as "
        "misses\n"
    )
    assert json.loads(done.stdout)["rows_with_fewer_than_2"] == 3
    (tmp_path / "full").write_text("1\n0\n0\n0\n")
    assert run("full", "truth", "--k", "1").stderr == ""


def test_too_little_memory_is_said_in_one_line(problem, monkeypatch):
    def fail(*_):
        raise MemoryError

    monkeypatch.setattr("xcbench.data.predictions.files.read_predictions", fail)
    done = run(problem[0] / "scores.txt", problem[0] / "truth.txt", "--k", "5000")
    assert done.exit_code == 2
    assert done.stderr.startswith("error: --k 5000: so many labels of 60 rows do not fit in memory")


def test_a_table_of_texts_as_truth_is_told_from_a_matrix(tmp_path):
    write_matrix(tmp_path / "scores.txt", [[0.5, 0]])
    table = tmp_path / "new.csv"
    table.write_text("text,tags\nhow,a\n")
    done = run(tmp_path / "scores.txt", table)
    assert done.exit_code == 3
    assert "new.csv: is a table; expected numbered labels. `xcbench data convert" in done.output
