"""Looks a file or a dataset over: the first defect of every file, and what is legal but unusual."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from scipy import sparse

from xcbench.data.byte_lines import BrokenStream, whole_lines
from xcbench.data.libsvm import read_libsvm
from xcbench.data.load import differing_widths, load
from xcbench.data.matrix import column_counts
from xcbench.data.npz import read_npz
from xcbench.data.sources import Sources
from xcbench.data.sparse_text import read_sparse_text
from xcbench.data.splits import read_split
from xcbench.data.statistics import empty_rows
from xcbench.data.xc_text import XCText, read_xc
from xcbench.errors import DataError


@dataclass
class Report:
    """What a check found.

    Attributes
    ----------
    subject : str
        The file, or what two files are to each other.
    defect : str or None
        Why it cannot be read.
    warnings : list of str
    summary : str
        Its size in words, when it can be read.
    n_rows : int
        Its rows, when it can be read.
    """

    subject: str
    defect: str | None = None
    warnings: list[str] = field(default_factory=list)
    summary: str = ""
    n_rows: int = 0


def check_file(path: Path, base: Literal[0, 1] | None = None) -> Report:
    """Check one file: headerless libsvm if a base is given, .npz by name, else by its header."""
    if base is not None:
        return _check(path, lambda: read_libsvm(path, base))
    if path.suffix == ".npz":
        return _check(path, lambda: read_npz(path))
    if _has_two_counts(path):
        return _check(path, lambda: read_sparse_text(path))
    return _check(path, lambda: read_xc(path))


def check_dataset(sources: Sources) -> list[Report]:
    """Check every file of a split, then how its parts fit if all of them can be read."""
    if sources.kind == "splits":
        reports = _check_splits(sources)
    else:
        reports = [check_file(path, sources.base) for path in sources.files]
    if all(report.defect is None for report in reports):
        reports.append(_check_parts(sources))
    return reports


def _check(path: Path, read: Callable[[], XCText | sparse.csr_array]) -> Report:
    report = Report(str(path))
    try:
        content = read()
    except DataError as error:
        report.defect = str(error)
        return report
    if not isinstance(content, XCText):
        report.n_rows, m = content.shape
        report.summary = f"{report.n_rows} rows, {m} columns, {content.nnz} entries"
        return report
    report.n_rows, d = content.X.shape
    report.summary = f"{report.n_rows} rows, {d} features, {content.Y.shape[1]} labels"
    _warn(report, content.n_duplicate_labels, "duplicate label", "merged")
    _warn(report, empty_rows(content.Y), "row", "without labels")
    _warn(report, empty_rows(content.X), "row", "without features")
    _warn(report, int((content.X.data == 0).sum()), "stored zero", "among the features")
    return report


def _check_splits(sources: Sources) -> list[Report]:
    data, *row_files = sources.files
    reports = [check_file(data)]
    if reports[0].defect is not None:
        return reports
    for path in row_files:
        report = Report(str(path))
        try:
            rows = read_split(path, sources.split, reports[0].n_rows)
            report.summary = f"{rows.size} rows in split {sources.split}"
        except DataError as error:
            report.defect = str(error)
        reports.append(report)
    return reports


def _check_parts(sources: Sources) -> Report:
    report = Report("training and test part")
    try:
        parts = load(sources)
    except DataError as error:
        report.defect = str(error)
        return report
    train, test = parts.train, parts.test
    report.summary = f"{train.X.shape[0]} and {test.X.shape[0]} rows"
    report.warnings.extend(differing_widths(sources, parts))
    in_train, in_test = column_counts(train.Y)[0], column_counts(test.Y)[0]
    _warn(report, train.Y.shape[1] - in_train.size, "label", "without a training row")
    _warn(report, np.setdiff1d(in_test, in_train).size, "label", "in the test part only")
    return report


def _warn(report: Report, count: int, what: str, how: str) -> None:
    if count:
        report.warnings.append(f"{count} {what}{'s' if count != 1 else ''} {how}")


def _has_two_counts(path: Path) -> bool:
    try:
        first = next(whole_lines(path), np.zeros(0, np.uint8)).tobytes().split(b"\n", 1)[0]
    except (DataError, BrokenStream):
        return False  # reading it will say why
    return re.fullmatch(rb" *\d+ +\d+ *\r?", first) is not None
