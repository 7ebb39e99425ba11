import pytest

from xcbench.data.checks.check import check_dataset, check_file
from xcbench.data.sources import Sources


@pytest.fixture
def sources(tmp_path):
    files = tmp_path / "train.txt", tmp_path / "test.txt"
    for path in files:
        path.write_text("2 3 2\n0 0:1 1:1\n1 2:1\n")
    return Sources("tiny", "files", files)


def test_names_are_counted_and_what_is_unusual_in_them_is_said(sources, tmp_path):
    (tmp_path / "Yf.txt").write_text("owl\nowl\n")
    (tmp_path / "Xf.txt").write_text("a\n\nb\n")
    *_, labels, features = check_dataset(sources)
    assert (labels.defect, labels.summary) == (None, "2 names")
    assert labels.warnings == ["1 name given before to another index"]
    assert features.warnings == ["1 name empty"]
    assert check_file(tmp_path / "Yf.txt").summary == "2 names"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"owl\n", ": found 1 names; expected 2, one a line"),
        (b"owl\nelk\xff\n", ", line 2: found bytes that are not UTF-8 text"),
    ],
)
def test_names_that_do_not_fit_are_a_defect_with_advice(text, reason, sources, tmp_path):
    (tmp_path / "Yf.txt").write_bytes(text)
    *_, report = check_dataset(sources)
    assert report.defect == f"{tmp_path / 'Yf.txt'}{reason}"
    assert "\n  -> " in report.explained()


@pytest.mark.parametrize(
    ("note", "names"), [("{", "a\nb\nc\n"), ('{"format": 99}', "a\nb\nc\n"), (None, "a\na\nb\n")]
)
def test_damaged_settings_of_texts_are_a_defect_with_advice(note, names, sources, tmp_path):
    from xcbench.data.texts.features import TextFeatures, TextSettings

    TextFeatures(TextSettings(), ("a", "b", "c")).save(tmp_path)
    assert [report.defect for report in check_dataset(sources)] == [None] * 5
    (tmp_path / "Xf.txt").write_text(names)
    if note is not None:
        (tmp_path / "text.json").write_text(note)
    *_, report = check_dataset(sources)
    assert report.defect
    assert "\n  -> " in report.explained()
