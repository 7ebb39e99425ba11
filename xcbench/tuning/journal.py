"""The trials of a search on disk: ``tune.csv``, and ``tune.yaml``, what the search is.

``trial-0.npy`` keeps what each held-out row gave to the objective of trial 0 (no predictions), with
which the trials after it are compared. The caller holds the lock of the folder.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from xcbench.config.changes import flat
from xcbench.config.yaml import dump, inline, parse
from xcbench.errors import ConfigError
from xcbench.runner.files import write_atomic
from xcbench.runner.result import one_line
from xcbench.runner.store import cell
from xcbench.tuning.space import Point

TRIALS, SEARCH, BASELINE = "tune.csv", "tune.yaml", "trial-0.npy"
_SCORES = ("objective", "se", "difference", "difference_se")
_SECONDS = ("train_s", "predict_s")


@dataclass(frozen=True)
class Trial:
    """One trial.

    Attributes
    ----------
    number : int
    point : Point
    scores : dict of str to float
        objective and its standard error over the held-out rows (se), the difference to trial 0 and
        its standard error; empty of a failed trial.
    metrics, seconds : dict of str to float
    error : str
        Why it failed.
    """

    number: int
    point: Point
    scores: dict[str, float] = field(default_factory=dict)
    metrics: dict[str, float] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    error: str = ""

    @property
    def is_done(self) -> bool:
        return bool(self.scores)


class Journal:
    """The trials in a folder.

    Parameters
    ----------
    folder : Path
    identity : mapping
        What the search is, see Search.identity.
    keys, metrics : sequence of str
        The columns of the tuned keys, and of the metrics.

    Raises
    ------
    ConfigError
        The folder holds another search, or its files are damaged.
    """

    def __init__(
        self,
        folder: Path,
        identity: Mapping[str, Any],
        keys: Sequence[str],
        metrics: Sequence[str],
    ) -> None:
        self.folder = folder
        self._keys, self._metrics = tuple(keys), tuple(metrics)
        self._trials: dict[int, Trial] = {}
        if (folder / TRIALS).exists() or (folder / SEARCH).exists():
            self._require_same(identity)
            self._trials = {trial.number: trial for trial in self._read()}
            if not (folder / BASELINE).exists():
                self._trials.pop(0, None)  # It is to be compared with, so it is to do again.
        else:
            write_atomic(folder / SEARCH, dump(dict(identity)))

    @property
    def trials(self) -> list[Trial]:
        """In the order of their numbers."""
        return [self._trials[number] for number in sorted(self._trials)]

    def add(self, trial: Trial) -> None:
        """Write a finished trial down."""
        self._trials[trial.number] = trial
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, self._columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self._row(each) for each in self.trials)
        write_atomic(self.folder / TRIALS, text.getvalue())

    def keep_baseline(self, rows: np.ndarray) -> None:
        """Keep what each held-out row gave to trial 0, float64 of shape (n,)."""
        stream = io.BytesIO()
        np.save(stream, rows, allow_pickle=False)
        write_atomic(self.folder / BASELINE, stream.getvalue())

    def baseline(self) -> np.ndarray | None:
        """As it was kept; None where trial 0 failed."""
        try:
            rows: np.ndarray = np.load(self.folder / BASELINE, allow_pickle=False)
        except FileNotFoundError:
            return None
        except (ValueError, EOFError) as error:
            raise ConfigError(f"{self.folder / BASELINE}: is damaged ({error})") from None
        return rows if rows.size else None

    @property
    def _columns(self) -> tuple[str, ...]:
        head = ("trial", "status", *self._keys)
        return (*head, *_SCORES, *self._metrics, *_SECONDS, "error")

    def _row(self, trial: Trial) -> dict[str, Any]:
        return {
            "trial": trial.number,
            "status": "done" if trial.is_done else "failed",
            **{key: inline(trial.point[key]) for key in self._keys},
            **{name: repr(value) for name, value in trial.scores.items()},
            **{name: repr(value) for name, value in trial.metrics.items()},
            **{name: f"{value:.6f}" for name, value in trial.seconds.items()},
            "error": cell(one_line(trial.error)),
        }

    def _read(self) -> Iterable[Trial]:
        path = self.folder / TRIALS
        if not path.exists():
            return
        with path.open(encoding="utf-8", newline="") as stream:
            reader = csv.DictReader(stream)
            if tuple(reader.fieldnames or ()) != self._columns:
                raise ConfigError(f"{path}:1: expected the columns {', '.join(self._columns)}")
            for row in reader:
                try:
                    yield self._trial(row)
                except (ValueError, TypeError, AttributeError) as error:
                    place = f"{path}:{reader.line_num}"
                    raise ConfigError(f"{place}: is no trial ({error}); remove the line") from None

    def _trial(self, row: Mapping[str, str]) -> Trial:
        def numbers(names: Iterable[str]) -> dict[str, float]:
            return {name: float(row[name]) for name in names if row[name] != ""}

        point = {key: parse(row[key], TRIALS).value for key in self._keys}
        return Trial(
            int(row["trial"]),
            point,
            numbers(_SCORES),
            numbers(self._metrics),
            numbers(_SECONDS),
            row["error"],
        )

    def _require_same(self, identity: Mapping[str, Any]) -> None:
        path = self.folder / SEARCH
        if not path.exists():
            raise ConfigError(
                f"{self.folder / TRIALS} is there without {SEARCH}, which says of what search; "
                "choose another --out"
            )
        found = parse(path.read_text(encoding="utf-8"), str(path)).value
        if not isinstance(found, dict):
            raise ConfigError(f"{path}: is damaged; choose another --out")
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
