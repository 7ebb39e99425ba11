"""The trials of a search on disk: ``tune.csv``, and ``tune.yaml``, what the search is.

``trial-0.npy`` keeps what each held-out row gave to the objective of trial 0 (no predictions), with
which the trials after it are compared. The caller holds the lock of the folder.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from xcbench.config.changes import flat
from xcbench.config.yaml import dump, inline, parse
from xcbench.errors import ConfigError
from xcbench.runner.files import write_atomic
from xcbench.tuning.trial_lines import Lines, Trial

TRIALS, SEARCH, BASELINE = "tune.csv", "tune.yaml", "trial-0.npy"
_REMOVE = "remove it, and trial 0 is done again"


class Journal:
    """The trials in a folder.

    Parameters
    ----------
    folder : Path
    identity : mapping
        What the search is, see Search.identity.
    lines : Lines
        What its trials look like.

    Raises
    ------
    ConfigError
        The folder holds another search, or its files are damaged.
    """

    def __init__(self, folder: Path, identity: Mapping[str, Any], lines: Lines) -> None:
        self.folder = folder
        self._lines = lines
        self._trials: dict[int, Trial] = {}
        self._baseline: np.ndarray | None = None
        if (folder / TRIALS).exists() or (folder / SEARCH).exists():
            self._require_same(identity)
            for trial in self._read():
                self._trials[trial.number] = trial
            self._open_baseline()
        else:
            write_atomic(folder / SEARCH, dump(dict(identity)))

    @property
    def trials(self) -> list[Trial]:
        """In the order of their numbers."""
        return [self._trials[number] for number in sorted(self._trials)]

    @property
    def baseline(self) -> np.ndarray | None:
        """What each held-out row gave to trial 0, float64 of shape (n,); None if it failed."""
        return self._baseline

    def get(self, number: int) -> Trial | None:
        """The trial of a number, if there is one."""
        return self._trials.get(number)

    def is_settled(self, number: int) -> bool:
        """Whether a trial need not be done (again).

        One that failed for what may have been a passing reason is; and one that is not compared
        with trial 0, because that had failed and has not now.
        """
        trial = self._trials.get(number)
        if trial is None or not trial.is_done:
            return trial is not None and trial.is_impossible
        return trial.is_compared or self._baseline is None

    def add(self, trial: Trial, rows: np.ndarray | None = None) -> None:
        """Write a finished trial down; of trial 0 with what each held-out row gave to it."""
        if trial.number == 0 and rows is not None:
            stream = io.BytesIO()
            np.save(stream, rows, allow_pickle=False)
            write_atomic(self.folder / BASELINE, stream.getvalue())
            self._baseline = rows
        self._trials[trial.number] = trial
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, self._lines.columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self._lines.row(each) for each in self.trials)
        write_atomic(self.folder / TRIALS, text.getvalue())

    def _open_baseline(self) -> None:
        path = self.folder / BASELINE
        if 0 not in self._trials or not self._trials[0].is_done:
            return
        if not path.exists():
            del self._trials[0]  # It is to be compared with, so it is to do again.
            return
        content = path.read_bytes()
        try:
            rows: np.ndarray = np.load(io.BytesIO(content), allow_pickle=False)
        except Exception as error:  # numpy parses a header as Python, which fails in many ways
            raise ConfigError(f"{path}: is damaged ({error}); {_REMOVE}") from None
        expected = (self._lines.n_held,)
        if rows.dtype != np.float64 or rows.shape != expected or not np.isfinite(rows).all():
            raise ConfigError(
                f"{path}: holds {rows.dtype} of shape {rows.shape}; expected finite float64 of "
                f"shape {expected}; {_REMOVE}"
            )
        self._baseline = rows

    def _read(self) -> Iterator[Trial]:
        path = self.folder / TRIALS
        if not path.exists():
            return
        text, columns = _text(path), self._lines.columns
        if not text.endswith("\n"):
            line = text.count("\n") + 1
            raise ConfigError(f"{path}:{line}: the file is cut here; remove the line")
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        seen: set[int] = set()
        try:
            if tuple(reader.fieldnames or ()) != columns:
                raise ConfigError(f"{path}:1: expected the columns {', '.join(columns)}")
            for row in reader:
                trial = self._lines.trial(row)
                if trial.number in seen:
                    raise ValueError(f"trial {trial.number} is there twice")
                seen.add(trial.number)
                yield trial
        except (ValueError, csv.Error) as error:
            # The reader counts a line when it has read it.
            line = reader.line_num + isinstance(error, csv.Error)
            place = f"{path}:{line}"
            raise ConfigError(f"{place}: is no trial ({error}); remove the line") from None

    def _require_same(self, identity: Mapping[str, Any]) -> None:
        path = self.folder / SEARCH
        if not path.exists():
            raise ConfigError(
                f"{self.folder / TRIALS} is there without {SEARCH}, which says of what search; "
                "choose another --out"
            )
        found = parse(_text(path), str(path)).value
        if not isinstance(found, dict):
            raise ConfigError(f"{path}:1: is damaged: it is no mapping; choose another --out")
        if lacking := [key for key in identity if key not in found]:
            what = f"it has no {', '.join(lacking)}"
            raise ConfigError(f"{path}:1: is damaged or cut: {what}; choose another --out")
        then, now = flat(found), flat(parse(dump(dict(identity)), str(path)).value)
        differing = [key for key in dict.fromkeys([*then, *now]) if then.get(key) != now.get(key)]
        if differing:
            shown = "; ".join(
                f"{key}: {inline(then.get(key))} there, {inline(now.get(key))} here"
                for key in differing[:10]
            )
            raise ConfigError(
                f"{self.folder} holds another search ({shown}); choose another --out, or remove it"
            )


def _text(path: Path) -> str:
    content = path.read_bytes()
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        found = f"found the byte 0x{content[error.start]:02x}; expected UTF-8 text"
        raise ConfigError(f"{path}:{line}: is damaged: {found}") from None
