"""What a check of a file found."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from xcbench.data.checks.hints import hint

# The file of the labels where they have one of their own: trn_X_Y.txt, Y.npz.
_OF_LABELS = re.compile(r"(^|[_/])Y\.(txt|npz)(\.gz)?$")


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

    def explained(self) -> str:
        """The defect, and in a line below what to do about it."""
        defect = (self.defect or "").replace(self.subject, "")
        advice = hint(
            defect, self.subject.endswith(".gz"), _OF_LABELS.search(self.subject) is not None
        )
        return f"{self.defect}\n  -> {advice}" if advice else f"{self.defect}"


def warn(report: Report, count: int, what: str, how: str) -> None:
    """Add a warning of so many things; of none there is no warning."""
    if count:
        report.warnings.append(f"{count} {what}{'s' if count != 1 else ''} {how}")
