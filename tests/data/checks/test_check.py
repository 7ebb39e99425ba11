import pytest
from scipy import sparse

from xcbench.data.checks.check import check_dataset, check_file
from xcbench.data.load import load
from xcbench.data.sources import Sources
from xcbench.data.statistics import statistics


@pytest.fixture
def put(tmp_path):
    def write(name, text):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


def test_a_sound_file_is_summed_up_with_what_is_unusual_in_it(put):
    report = check_file(put("a.txt", "3 2 4\n1,1,1 0:1\n\n2 1:0\n"))
    assert report.defect is None
    assert report.summary == "3 rows, 2 features, 4 labels"
    assert report.warnings == [
        "2 duplicate labels merged",
        "1 row without labels",
        "1 row without features",
        "1 stored zero among the features",
    ]


def test_the_header_or_the_base_says_how_a_file_is_read(put, tmp_path):
    assert check_file(put("trn_X_Xf.txt", "2 7\n0:1\n\n")).summary == "2 rows, 7 columns, 1 entries"
    assert (
        check_file(put("a.svm", "1 1:1\n2 3:1\n"), base=1).summary == "2 rows, 3 features, 2 labels"
    )
    sparse.save_npz(tmp_path / "a.npz", sparse.eye_array(3))
    assert check_file(tmp_path / "a.npz").summary == "3 rows, 3 columns, 3 entries"


def test_every_file_is_checked_although_the_first_is_malformed(put):
    files = put("a", "1 2 2\nx 0:1\n"), put("b", "2 2 2\n1 0:1\n")
    reports = check_dataset(Sources("tiny", "files", files))
    assert [report.defect for report in reports] == [
        f"{files[0]}, line 2: label 'x' is not a whole number; expected labels as in '3,17,58'",
        f"{files[1]}, line 3: the file ends after 1 rows; the header states 2",
    ]


def test_parts_are_compared_when_all_files_are_sound(put):
    a, b = put("a", "2 3 4\n0 0:1\n1 0:1\n"), put("b", "1 2 5\n1,4 0:1\n")
    *_, report = check_dataset(Sources("tiny", "files", (a, b)))
    assert report.subject == "training and test part"
    assert report.warnings == [
        f"{a}, line 1 states 3 features, {b}, line 1 states 2: both are read with 3",
        f"{a}, line 1 states 4 labels, {b}, line 1 states 5: both are read with 5",
        "3 labels without a training row",
        "1 label in the test part only",
    ]


def test_split_files_are_checked_against_the_data_file(put):
    files = put("d", "3 1 1\n\n\n\n"), put("tr", "1\n2\n"), put("tst", "9\n")
    reports = check_dataset(Sources("tiny", "splits", files))
    assert [report.defect for report in reports] == [
        None,
        None,
        f"{files[2]}, line 1: row 9 is out of range; expected 1 to 3",
    ]
    files[2].write_text("2\n")
    *_, report = check_dataset(Sources("tiny", "splits", files))
    assert "share 1 rows" in report.defect


def test_labels_of_the_split_form_are_checked(put):
    texts = {"a": "1 1\n\n", "b": "1 1\n0:2\n", "c": "1 1\n\n", "d": "1 1\n\n"}
    files = tuple(put(name, text) for name, text in texts.items())
    *_, report = check_dataset(Sources("tiny", "pairs", files))
    assert report.defect == f"{files[1]}, line 2: label 0 has the value 2; expected 1"


def test_counts_that_no_machine_has_memory_for_are_only_stated(put):
    files = tuple(put(name, "1 2147483647 2147483647\n5 7:1\n") for name in "ab")
    sources = Sources("tiny", "files", files)
    *_, report = check_dataset(sources)
    assert report.warnings == ["2147483646 labels without a training row"]
    found = statistics(load(sources))
    assert (found.labels_without_training_rows, found.labels_of_test_only) == (2**31 - 2, 0)
