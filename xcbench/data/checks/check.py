"""Looks a file or a dataset over: the first defect of every file, and what is legal but unusual."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np
from scipy import sparse

from xcbench.data.checks.names import check_beside, check_names
from xcbench.data.checks.report import Report, warn
from xcbench.data.libsvm import read_libsvm
from xcbench.data.load import differing_widths, load
from xcbench.data.matrix import column_counts
from xcbench.data.names import FEATURE_NAMES, LABEL_NAMES
from xcbench.data.npz import read_npz
from xcbench.data.predictions.truth import has_two_counts
from xcbench.data.sources import Sources
from xcbench.data.sparse_text import read_sparse_text
from xcbench.data.splits.read import read_split
from xcbench.data.statistics import empty_rows
from xcbench.data.xc_text import XCText, read_xc
from xcbench.errors import DataError

# By their names; convert reads these.
_FORMS = {".csv": "CSV", ".tsv": "TSV", ".jsonl": "JSON lines", ".arff": "ARFF", ".xml": "XML"}


def check_file(path: Path, base: Literal[0, 1] | None = None) -> Report:
    """Check one file: libsvm if a base is given, .npz and names by name, else by its header.

    What is none of these and has the name of a form that is converted first is said to be that.
    """
    if base is not None:
        return _check(path, lambda: read_libsvm(path, base))
    if path.name in (LABEL_NAMES, FEATURE_NAMES):
        return check_names(path)
    if path.suffix == ".npz":
        return _check(path, lambda: read_npz(path))
    if has_two_counts(path):
        return _check(path, lambda: read_sparse_text(path))
    report = _check(path, lambda: read_xc(path))
    form = _FORMS.get(Path(path.name.lower().removesuffix(".gz")).suffix)
    if report.defect is not None and form is not None:
        report.defect = f"{path}: {form} by its name; expected XC text, which it is not"
    return report


def check_dataset(sources: Sources) -> list[Report]:
    """Check every file of a split; if all can be read, how they fit, and what lies beside them."""
    if sources.kind == "splits":
        reports = _check_splits(sources)
    else:
        reports = [check_file(path, sources.base) for path in sources.files]
    if all(report.defect is None for report in reports):
        reports += _check_parts(sources)
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
    warn(report, content.n_duplicate_labels, "duplicate label", "merged")
    warn(report, empty_rows(content.Y), "row", "without labels")
    warn(report, empty_rows(content.X), "row", "without features")
    warn(report, int((content.X.data == 0).sum()), "stored zero", "among the features")
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


def _check_parts(sources: Sources) -> list[Report]:
    report = Report("training and test part")
    try:
        parts = load(sources)
    except DataError as error:
        report.defect = str(error)
        return [report]
    train, test = parts.train, parts.test
    report.summary = f"{train.X.shape[0]} and {test.X.shape[0]} rows"
    report.warnings.extend(differing_widths(sources, parts))
    in_train, in_test = column_counts(train.Y)[0], column_counts(test.Y)[0]
    warn(report, train.Y.shape[1] - in_train.size, "label", "without a training row")
    warn(report, np.setdiff1d(in_test, in_train).size, "label", "in the test part only")
    folder = sources.files[0].parent
    return [report, *check_beside(folder, train.X.shape[1], train.Y.shape[1])]
