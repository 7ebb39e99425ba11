"""Looks over what lies beside the matrices: names of labels and features, settings of texts."""

from __future__ import annotations

from pathlib import Path

from xcbench.data.checks.report import Report, warn
from xcbench.data.names import FEATURE_NAMES, LABEL_NAMES, read_names
from xcbench.errors import DataError

_TEXT_SETTINGS = "text.json"


def check_names(path: Path, count: int | None = None) -> Report:
    """Check a file of names, and that there are ``count`` if that is given."""
    report = Report(str(path))
    try:
        names = read_names(path, count)
    except DataError as error:
        report.defect = str(error)
        return report
    report.n_rows = len(names)
    report.summary = f"{len(names)} names"
    warn(report, names.count(""), "name", "empty")
    given = [name for name in names if name]
    warn(report, len(given) - len(set(given)), "name", "given before to another index")
    return report


def check_beside(folder: Path, n_features: int, n_labels: int) -> list[Report]:
    """Check the names in a dataset's folder, and the settings of its texts, as far as they do."""
    counts = {LABEL_NAMES: n_labels, FEATURE_NAMES: n_features}
    reports = [
        check_names(folder / name, count)
        for name, count in counts.items()
        if (folder / name).is_file()
    ]
    if (folder / _TEXT_SETTINGS).is_file():
        reports.append(_check_text(folder))
    return reports


def _check_text(folder: Path) -> Report:
    from xcbench.data.texts.features import TextFeatures  # scikit-learn is slow to import

    report = Report(str(folder / _TEXT_SETTINGS), summary="settings of the texts")
    try:
        TextFeatures.open(folder)
    except DataError as error:
        report.defect = str(error)
    return report
