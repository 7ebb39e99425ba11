"""What stands in the place of paths on the page."""

from pathlib import Path

import pytest

from xcbench.report.html.places import Places

PLACES = Places({"DATA": [Path("/home/u/data"), Path("/srv/x")], "RESULTS": [Path("/home/u/my r")]})


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("in /home/u/data; get", "in DATA; get"),
        ("/home/u/data/tiny/train.txt, line 3", "DATA/tiny/train.txt, line 3"),
        ("`xcbench run c.yaml --data /srv/x --results '/home/u/my r'`",
         "`xcbench run c.yaml --data DATA --results 'RESULTS'`"),
        ("the data in /home/u/data.", "the data in DATA."),
        ("/home/u/data2/a/b.txt", "b.txt"),
        ("/other/home/u/data/x.txt", "x.txt"),
        ("OSError: '/home/a user/b c/d.npz'", "OSError: 'd.npz'"),
        ("~/xc/data/a.txt", "a.txt"),
        ("https://example.org/a/b/c.pdf", "https://example.org/a/b/c.pdf"),
        ("P@1/P@3/P@5 and bibtex/rxml-1 in results/figures/cost.csv",
         "P@1/P@3/P@5 and bibtex/rxml-1 in results/figures/cost.csv"),
        ("</b></script>", "</b></script>"),
    ],
)  # fmt: skip
def test_known_folders_are_named_and_of_other_paths_the_last_part_is_left(text, shown):
    assert PLACES.hidden(text) == shown


def test_what_is_in_lists_and_mappings_is_hidden_and_other_values_stay():
    value = {"a": ["/home/u/data/x", 3, None], "b": {"/home/u/data": 1.5}}
    assert PLACES.hidden(value) == {"a": ["DATA/x", 3, None], "b": {"DATA": 1.5}}


def test_a_relative_folder_is_hidden_in_full_and_a_bare_word_is_no_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    places = Places({"DATA": [Path("data")], "RESULTS": [Path("../other/results")]})
    assert places.hidden(f"data in {tmp_path}/data") == "data in DATA"
    assert places.hidden("--results ../other/results") == "--results RESULTS"
