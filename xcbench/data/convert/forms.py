"""The forms a dataset may have on disk: how each is told, and what its files are called."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from xcbench.data.texts.lines import TextLines
from xcbench.data.texts.records import JSON_ARRAY, form_by_name
from xcbench.errors import ConfigError, DataError

Form = Literal["xc", "pair", "npz", "csv", "tsv", "jsonl", "mulan", "libsvm"]
FORMS: tuple[Form, ...] = get_args(Form)
WRITTEN_FORMS = tuple(form for form in FORMS if form != "libsvm")
TEXT_FORMS = ("csv", "tsv", "jsonl")
NAMED_FORMS = ("xc", "pair", "npz")  # a folder of which is used by its name


@dataclass(frozen=True)
class FormFiles:
    """What the files of a part are called: of one that stands alone, of training and test."""

    alone: tuple[str, ...]
    train: tuple[str, ...]
    test: tuple[str, ...]


FILES: dict[str, FormFiles] = {
    "xc": FormFiles(("data.txt",), ("train.txt",), ("test.txt",)),
    "pair": FormFiles(
        ("X.txt", "Y.txt"), ("trn_X_Xf.txt", "trn_X_Y.txt"), ("tst_X_Xf.txt", "tst_X_Y.txt")
    ),
    "npz": FormFiles(
        ("X.npz", "Y.npz"), ("train_X.npz", "train_Y.npz"), ("test_X.npz", "test_Y.npz")
    ),
    "mulan": FormFiles(("data.arff",), ("train.arff",), ("test.arff",)),
    **{
        form: FormFiles((f"data.{form}",), (f"train.{form}",), (f"test.{form}",))
        for form in TEXT_FORMS
    },
}

_SUFFIXES: dict[str, Form] = {
    ".npz": "npz",
    ".arff": "mulan",
    ".svm": "libsvm",
    ".libsvm": "libsvm",
}
_START = 200  # characters of a first line that are looked at


def parse_form(text: str, option: str, known: Sequence[Form]) -> Form:
    """A form by its name, as an option gives it.

    Raises
    ------
    ConfigError
        There is no such form.
    """
    if text in known:
        return text  # type: ignore[return-value]
    close = difflib.get_close_matches(text.lower(), known, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    raise ConfigError(f"{option} {text!r}: expected one of {', '.join(known)}{hint}")


def guess_form(path: Path) -> tuple[Form, str]:
    """The form of a file, and what tells it.

    Raises
    ------
    DataError
        The file is missing, or nothing tells.
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    suffix = next((suffix for suffix in reversed(suffixes) if suffix != ".gz"), "")
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix], "its name"
    record_form = form_by_name(path)
    if record_form is not None and record_form != "txt":
        return record_form, "its name"
    return _by_first_line(path, TextLines(path).peek().strip()), "its first line"


def find_files(folder: Path) -> tuple[Form, list[Path], list[Path]] | None:
    """The files of a folder that a conversion made: form, those of the first part, of the test."""
    for form, files in FILES.items():
        for first, second in ((files.train, files.test), (files.alone, ())):
            paths = [folder / name for name in (*first, *second)]
            if all(path.is_file() for path in paths):
                return form, paths[: len(first)], paths[len(first) :]  # type: ignore[return-value]
    return None


def _by_first_line(path: Path, first: str) -> Form:
    if re.fullmatch(r"\d+ +\d+ +\d+", first[:_START]):
        return "xc"
    if re.fullmatch(r"\d+ +\d+", first[:_START]):
        return "pair"
    if first.startswith("{"):
        return "jsonl"
    if re.match(r"[\d, ]*\d+:", first[:_START]):
        return "libsvm"
    if first.startswith("["):
        raise DataError(f"{path}: {JSON_ARRAY}")
    raise DataError(
        f"{path}: neither its name nor its first line, {first[:40]!r}, tells its form; say it with "
        f"--from ({', '.join(FORMS)})"
    )
