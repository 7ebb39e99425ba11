"""What a check of a file found."""

from __future__ import annotations

from dataclasses import dataclass, field

from xcbench.data.checks.hints import hint


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
        advice = hint((self.defect or "").replace(self.subject, ""))
        return f"{self.defect}\n  -> {advice}" if advice else f"{self.defect}"


def warn(report: Report, count: int, what: str, how: str) -> None:
    """Add a warning of so many things; of none there is no warning."""
    if count:
        report.warnings.append(f"{count} {what}{'s' if count != 1 else ''} {how}")
