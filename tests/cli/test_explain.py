"""``xcbench explain``: a row of the test part, of a file, or a text."""

import json
import shutil

import pytest

from tests.inference.posts import TAGS


def explained(here, *arguments):
    done = here("explain", "m", *arguments, "--json", "--top", 3)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_a_row_is_explained_the_same_from_wherever_it_comes(here, home):
    of_test = explained(here, 4)
    of_file = explained(here, 4, "--input", "data/posts/test.txt")
    of_texts = explained(here, 4, "--input", "data/posts/tst_X.txt", "--input-form", "text")
    text = (home / "data" / "posts" / "tst_X.txt").read_text().splitlines()[4]
    of_text = explained(here, "--text", text)
    assert of_file == of_texts == of_text
    assert {label["name"] for label in of_test["true"]} <= {*TAGS}
    assert of_file["true"] is None
    scores = [label["score"] for label in of_test["labels"]]
    assert scores == pytest.approx([label["score"] for label in of_file["labels"]])


def test_what_is_printed_names_labels_neighbours_and_texts(here):
    done = here("explain", "m", 0, "--top", 1, "--neighbours", 1)
    assert done.exit_code == 0, done.output
    true, _, first, row, shares, text, features = done.stdout.splitlines()
    assert true.startswith("true labels: ")
    assert first.split()[1] in TAGS
    assert " neighbours " in first
    assert row.strip().startswith("row ")
    assert shares.strip().startswith("shares: ")
    assert "word" in text
    assert features.strip().startswith("features: ")


def test_without_the_data_the_rest_is_still_told(here, tmp_path):
    arguments = ("explain", "m", "--text", "pythonword1", "--data", tmp_path)
    done = here(*arguments)
    assert done.exit_code == 0, done.output
    assert "1. python" in done.stdout
    assert "shares:" not in done.stdout
    assert "features shared with training points are left out" in done.stderr
    assert "say with --data DIR where the data lies" in done.stderr
    done = here("explain", "m", 0, "--data", tmp_path)
    assert done.exit_code == 3
    assert "say with --data DIR where the data lies" in done.stderr


def test_other_data_than_the_model_was_fitted_to_is_refused(here, home, tmp_path):
    shutil.copytree(home / "data", tmp_path / "data")
    train = tmp_path / "data" / "posts" / "train.txt"
    lines = train.read_text().splitlines()
    lines[1], lines[2] = lines[2], lines[1]
    train.write_text("\n".join(lines) + "\n")
    done = here("explain", "m", 0, "--data", tmp_path / "data")
    assert done.exit_code == 3
    assert "no longer what the model was fitted to" in done.stderr


def test_usage_is_checked(here):
    for arguments in ((), (0, "--text", "x"), (0, "--base", 1)):
        assert here("explain", "m", *arguments).exit_code == 2
    done = here("explain", "m", 25)
    assert (done.exit_code, "rows 0 to 24" in done.stderr) == (2, True)
    done = here("explain", "m", 25, "--input", "data/posts/test.txt")
    assert (done.exit_code, "has 25 rows" in done.stderr) == (2, True)


def test_a_text_without_known_words_says_so(here):
    done = here("explain", "m", "--text", "zebra")
    assert done.exit_code == 0
    assert "the row has no feature the model knows" in done.stdout


def test_a_model_and_a_row_that_changed_places_are_told(here):
    done = here("explain", 0, "m")
    assert done.exit_code == 2
    assert "m is the model and comes first" in " ".join(done.stderr.split())
    assert here("explain", "m", "first").exit_code == 2
