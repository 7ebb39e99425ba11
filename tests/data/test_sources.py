import gzip
from pathlib import Path

import pytest

from xcbench.config.dataset import DatasetConfig
from xcbench.data.catalogue import catalogue
from xcbench.data.sources import Sources, is_present, locate, other_folders
from xcbench.errors import DataError


def put(folder, *names):
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).touch()
    return tuple(folder / name for name in names)


def test_a_dataset_is_found_by_its_own_names_or_the_common_ones_packed_or_not(tmp_path):
    files = put(tmp_path / "eurlex", "train.txt.gz", "test.txt")
    assert locate(DatasetConfig(name="eurlex"), tmp_path) == Sources("eurlex", "files", files)
    files = put(tmp_path / "eurlex", "eurlex_train.txt", "eurlex_test.txt.gz")
    assert locate(DatasetConfig(name="eurlex"), tmp_path).files == files


def test_a_text_and_another_packed_one_beside_it_are_not_chosen_between(tmp_path):
    folder = tmp_path / "mine"
    files = put(folder, "train.txt", "test.txt", "train.txt.gz")
    files[0].write_text("1 1 1\n0 0:1\n")
    files[2].write_bytes(gzip.compress(b"1 1 1\n0 0:1\n"))
    assert locate(DatasetConfig(name="mine"), tmp_path).files == files[:2]
    for other in (gzip.compress(b"1 1 1\n0 0:2\n"), gzip.compress(b""), b"\x1f\x8b"):
        files[2].write_bytes(other)
        with pytest.raises(DataError) as caught:
            locate(DatasetConfig(name="mine"), tmp_path)
        assert str(caught.value) == (
            f"{files[0]} and train.txt.gz beside it hold different text; "
            "remove the one that is not meant"
        )
    config = DatasetConfig(train=str(files[0]), test=str(files[1]))
    assert locate(config, tmp_path).files == files[:2]  # who names a file means it
    assert other_folders(tmp_path) == ["mine"]


def test_a_folder_that_may_not_be_looked_into_is_passed_over(tmp_path, monkeypatch):
    put(tmp_path / "mine", "train.txt", "test.txt")
    put(tmp_path / "lost+found")
    original = Path.iterdir

    def iterdir(folder):
        if folder.name == "lost+found":
            raise PermissionError(13, "Permission denied", str(folder))
        return original(folder)

    monkeypatch.setattr(Path, "iterdir", iterdir)
    assert other_folders(tmp_path) == ["mine"]
    with pytest.raises(DataError, match=r"lost\+found: cannot be read \(Permission denied\)"):
        locate(DatasetConfig(name="lost+found"), tmp_path)


def test_a_name_no_file_system_takes_is_a_data_error(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        locate(DatasetConfig(name="x" * 300), tmp_path)
    with pytest.raises(DataError, match="cannot be read"):
        locate(DatasetConfig(train="x" * 300, test="y"), tmp_path)


def test_case_of_file_names_does_not_matter(tmp_path):
    files = put(
        tmp_path / "mediamill",
        "mediamill_data.txt",
        "Mediamill_trSplit.txt",
        "Mediamill_tstSplit.txt",
    )
    assert locate(DatasetConfig(name="mediamill"), tmp_path, 4) == Sources(
        "mediamill", "splits", files, 4
    )


def test_the_folder_an_archive_unpacks_to_is_found(tmp_path):
    files = put(tmp_path / "Eurlex", "eurlex_train.txt", "eurlex_test.txt")
    assert locate(DatasetConfig(name="eurlex"), tmp_path).files == files


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("files", ["train.txt", "test.txt.gz"]),
        ("splits", ["data.txt.gz", "trSplit.txt", "tstSplit.txt"]),
        ("pairs", ["trn_X_Xf.txt", "trn_X_Y.txt", "tst_X_Xf.txt", "tst_X_Y.txt"]),
        ("npz", ["train_X.npz", "train_Y.npz", "test_X.npz", "test_Y.npz"]),
    ],
)
def test_a_folder_the_catalogue_does_not_know_works_by_its_name(kind, names, tmp_path):
    files = put(tmp_path / "mine" / "inner", *names)
    found = locate(DatasetConfig(name="mine/inner"), tmp_path)
    assert found == Sources("mine-inner", kind, files)
    put(tmp_path / "other", *names)
    assert other_folders(tmp_path) == ["other"]


def test_the_split_files_come_before_the_single_split(tmp_path):
    put(tmp_path / "delicious", "train.txt", "test.txt")
    config = DatasetConfig(name="delicious")
    assert locate(config, tmp_path).kind == "files"
    with pytest.raises(DataError) as caught:
        locate(config, tmp_path, 2)
    assert str(caught.value) == (
        f"dataset 'delicious' in {tmp_path / 'delicious'} holds split 1 only; split 2 needs "
        "Delicious_data.txt + delicious_trSplit.txt + delicious_tstSplit.txt or "
        "data.txt + trSplit.txt + tstSplit.txt; "
        "download: http://manikvarma.org/downloads/XC/XMLRepository.html"
    )
    put(tmp_path / "delicious", "data.txt", "trSplit.txt", "tstSplit.txt")
    assert locate(config, tmp_path).kind == "splits"
    assert locate(config, tmp_path, 2).split == 2


def test_missing_files_are_named_with_the_place_and_where_to_get_them(tmp_path):
    with pytest.raises(DataError) as caught:
        locate(DatasetConfig(name="bibtex"), tmp_path)
    assert str(caught.value) == (
        f"dataset 'bibtex' is not in place. Looked in {tmp_path / 'bibtex'} for one of "
        "(text also as .gz):\n"
        "  Bibtex_data.txt + bibtex_trSplit.txt + bibtex_tstSplit.txt\n"
        "  bibtex_train.txt + bibtex_test.txt\n"
        "  data.txt + trSplit.txt + tstSplit.txt\n"
        "  train.txt + test.txt\n"
        "  trn_X_Xf.txt + trn_X_Y.txt + tst_X_Xf.txt + tst_X_Y.txt\n"
        "  train_X.npz + train_Y.npz + test_X.npz + test_Y.npz\n"
        "Download it from http://manikvarma.org/downloads/XC/XMLRepository.html "
        "and unpack it there. "
        "`xcbench data fetch bibtex` tries to do both."
    )


def test_half_a_dataset_is_not_in_place(tmp_path):
    put(tmp_path / "bibtex", "train.txt", "bibtex_data.txt", "tstSplit.txt")
    with pytest.raises(DataError, match="is not in place"):
        locate(DatasetConfig(name="bibtex"), tmp_path)
    assert not is_present(catalogue()["bibtex"], tmp_path)
    put(tmp_path / "bibtex", "test.txt")
    assert is_present(catalogue()["bibtex"], tmp_path)


def test_a_mistyped_name_gets_a_suggestion(tmp_path):
    with pytest.raises(DataError, match=r"unknown dataset 'bibtxe'.*did you mean 'bibtex'\?"):
        locate(DatasetConfig(name="bibtxe"), tmp_path)
    put(tmp_path / "mydata", "train.txt", "test.txt")
    with pytest.raises(DataError, match=r"did you mean 'mydata'\?"):
        locate(DatasetConfig(name="mydat"), tmp_path)
    with pytest.raises(DataError, match="xcbench data list"):
        locate(DatasetConfig(name="zzz"), tmp_path)


@pytest.mark.parametrize("name", ["../elsewhere", "/elsewhere", "a/../../b"])
def test_a_name_does_not_leave_the_data_root(name, tmp_path):
    with pytest.raises(DataError, match="leaves the data folder"):
        locate(DatasetConfig(name=name), tmp_path)


def test_paths_are_taken_as_they_are(tmp_path, monkeypatch):
    files = put(tmp_path / "my", "a.txt", "b.txt")
    config = DatasetConfig(train=str(files[0]), test=str(files[1]))
    assert locate(config, tmp_path / "no") == Sources("my", "files", files)
    monkeypatch.chdir(tmp_path)
    config = DatasetConfig(train="my/a.txt", test="my/b.txt", format="libsvm", base=1)
    found = locate(config, tmp_path / "no")
    assert (found.name, found.kind, found.base) == ("my", "libsvm", 1)
    with pytest.raises(DataError, match="split 2 is not 1"):
        locate(config, tmp_path, 2)
    with pytest.raises(DataError, match=r"my/c.txt: no such file"):
        locate(DatasetConfig(train="my/a.txt", test="my/c.txt"), tmp_path)
