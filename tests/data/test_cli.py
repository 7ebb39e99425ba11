import subprocess
import sys

import pytest
from typer.testing import CliRunner

from xcbench.cli.data import data_app
from xcbench.errors import ConfigError, DataError

TEXT = "2 3 4\n0,1 0:1\n3 2:2\n"


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("XCBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("XCBENCH_DATA", raising=False)
    folder = tmp_path / "data" / "mine"
    folder.mkdir(parents=True)
    for name in ("train.txt", "test.txt"):
        (folder / name).write_text(TEXT)
    return tmp_path / "data"


def run(*words):
    return CliRunner().invoke(data_app, [str(word) for word in words])


def test_list_shows_table_1_and_own_folders(root):
    out = run("list", "--data", root).output
    lines = [[word.strip() for word in line.split("│")[1:-1]] for line in out.splitlines()]
    assert ["eurlex", "15539", "3809", "5000", "3993", "1", "unit", "-"] in lines
    assert ["mine", "?", "?", "?", "?", "?", "unit", "found"] in lines


def test_list_says_that_the_data_folder_is_not_there(root):
    result = run("list", "--data", root / "no")
    assert result.exit_code == 0
    assert "eurlex" in result.stdout
    assert result.stderr.startswith(f"note: there is no folder {root / 'no'}, so nothing is found")
    assert run("list", "--data", root).stderr == ""


@pytest.mark.parametrize(
    "path", ["no.txt", "no.txt.gz", "no/such/file", "no.SVM", "x" * 300 + ".txt"]
)
def test_check_of_a_path_that_is_not_there_says_no_such_file(path, root):
    result = run("check", path, "--data", root)
    assert isinstance(result.exception, DataError)
    assert str(result.exception).startswith(f"{path}: no such file (looked for it in ")


def test_check_still_takes_the_name_of_a_dataset_in_a_folder_of_folders(root):
    (root / "mine").rename(root / "more.txt")
    assert run("check", "more.txt", "--data", root).exit_code == 0
    assert "unknown dataset 'nosuch'" in str(run("check", "nosuch", "--data", root).exception)


def test_info_puts_the_files_beside_what_is_published(root):
    (root / "mine").rename(root / "bibtex")
    result = run("info", "bibtex", "--data", root)
    lines = [
        [word.strip() for word in line.split("│")[1:-1]] for line in result.output.splitlines()
    ]
    assert ["n labels", "4", "159"] in lines
    assert ["labels per point", "1.50", "2.40"] in lines
    assert "propensity  A 0.55, B 1.5" in result.output
    assert result.exit_code == 0


def test_info_without_the_files_says_what_to_get_and_is_no_failure(root):
    result = run("info", "amazon-670k", "--data", root)
    assert result.exit_code == 0
    assert "amazon_train.txt + amazon_test.txt" in result.output
    assert "670091" in result.output
    assert "propensity  A 0.6, B 2.6" in result.output
    assert isinstance(run("info", "amazon-671k", "--data", root).exception, DataError)


def test_check_reports_every_file_and_fails_with_the_defects(root):
    assert (
        "ok   training and test part: 2 and 2 rows" in run("check", "mine", "--data", root).output
    )
    bad = root / "mine" / "test.txt"
    bad.write_text(TEXT.replace("2:2", "2:nan"))
    result = run("check", "mine", "--data", root)
    assert f"ok   {root / 'mine' / 'train.txt'}: 2 rows, 3 features, 4 labels" in result.output
    assert f"bad  {bad}" in result.output
    assert isinstance(result.exception, DataError)
    defect, advice = str(result.exception).split("\n  -> ")
    assert defect == (
        f"{bad}, line 3: value 'nan' of feature 2 is not finite; expected a finite number"
    )
    assert "leave the entry out" in advice


def test_check_takes_a_file_of_either_format(root, tmp_path):
    assert run("check", root / "mine" / "train.txt").exit_code == 0
    (tmp_path / "a.svm").write_text("1 1:1\n")
    assert run("check", tmp_path / "a.svm", "--base", 1).exit_code == 0
    assert isinstance(run("check", tmp_path / "a.svm").exception, DataError)
    assert isinstance(run("check", "no-such-file", "--base", 1).exception, ConfigError)


def test_prepare_says_what_it_made_and_twice_is_success(root, tmp_path):
    first = run("prepare", "mine", "--data", root, "--features", "tfidf")
    assert "mine split 1, tfidf: 2 + 2 rows, 3 features, 4 labels" in first.output
    assert str(tmp_path / "cache") in first.output.replace("\n", "")
    assert run("prepare", "mine", "--data", root, "--features", "tfidf").output == first.output
    wrong = run("prepare", "mine", "--data", root, "--features", "tf-idf")
    assert str(wrong.exception) == "--features 'tf-idf': expected unit, tfidf or raw"


def test_prepare_takes_the_usual_scaling_of_a_known_dataset(root):
    (root / "mine").rename(root / "stackex-cs")
    assert "stackex-cs split 1, tfidf" in run("prepare", "stackex-cs", "--data", root).output


@pytest.mark.parametrize("command", ["list", "info", "check", "prepare", "split"])
def test_help_teaches_with_an_example(command):
    result = run(command, "--help")
    assert f"xcbench data {command}" in result.output.replace("\n", " ")


def test_importing_the_commands_loads_nothing_heavy():
    code = "import sys, xcbench.cli.data; "
    code += "print(sorted({'numpy', 'numba', 'scipy', 'yaml', 'pydantic'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
