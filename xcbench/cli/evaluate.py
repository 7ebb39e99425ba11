"""``xcbench evaluate``: metrics of anybody's predictions."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from xcbench.cli.options import DEFAULT_DATA, DataRoot
from xcbench.errors import ConfigError, DataError

if TYPE_CHECKING:
    from rich.table import Table
    from scipy import sparse

    from xcbench.data.dataset import TopK

# Propensity constants where none are published for a dataset.
_A, _B = 0.55, 1.5


class Format(StrEnum):
    """How the metrics are printed."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


@dataclass(frozen=True, eq=False)
class _Truth:
    """The labels of the test rows, those of the training rows, and the propensity constants."""

    test: sparse.csr_array
    train: sparse.csr_array | None
    a: float = _A
    b: float = _B


def evaluate(
    predictions: Annotated[
        Path, typer.Argument(metavar="PREDICTIONS", help="A file of predictions.")
    ],
    truth: Annotated[
        str, typer.Argument(metavar="TRUTH", help="The true labels: a file, or a dataset's name.")
    ],
    train: Annotated[
        Path | None,
        typer.Option("--train", metavar="FILE", help="Training labels, for PSP and PSnDCG."),
    ] = None,
    filter_labels: Annotated[
        Path | None,
        typer.Option(
            "--filter-labels", metavar="FILE", help="Pairs 'row label' to take out of PREDICTIONS."
        ),
    ] = None,
    k: Annotated[
        str, typer.Option("--k", metavar="K,K,...", help="Where lists are cut.")
    ] = "1,3,5",
    a: Annotated[
        float | None,
        typer.Option("--a", min=0, help="Propensity constant A; a dataset's own, else 0.55."),
    ] = None,
    b: Annotated[
        float | None,
        typer.Option("--b", help="Propensity constant B; a dataset's own, else 1.5."),
    ] = None,
    names: Annotated[
        Path | None,
        typer.Option("--names", metavar="FILE", help="Label names: PREDICTIONS may hold these."),
    ] = None,
    format_: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.TABLE,
    data: DataRoot = DEFAULT_DATA,
    split: Annotated[int, typer.Option(min=1, help="Of a dataset with split files.")] = 1,
) -> None:
    """Print P@k and nDCG@k, and with training labels PSP@k and PSnDCG@k, of predictions.

    PREDICTIONS: what `xcbench predict` writes (tsv, jsonl, npz) or a run stores; a score matrix as
    XC text (header `n l`, rows `label:score`) or scipy .npz; or lists, a line a row, as `17:0.9
    3:0.4` or, best first, `17,3`; all counted from 0. Scores that are equal rank by the smaller
    label. With --names also lists of names, tabs between them.

    TRUTH and --train: one-file XC text, split form (header `n l`), scipy .npz; or TRUTH names a
    dataset in --data, whose test part is used, and whose training part gives the propensities.

    --filter-labels is the filter_labels_test.txt of the XC repository's LF-* datasets: its pairs
    leave the predictions before the first k are counted, the truth stays. The convention is that of
    pyxclib and napkinXC: rows without labels count, as 0, and short lists are filled with misses.
    """
    from xcbench.data.names import read_names
    from xcbench.data.predictions.files import read_predictions
    from xcbench.data.predictions.filter_labels import read_filter_labels
    from xcbench.metrics import evaluate as all_metrics

    cuts = _cuts(k)
    known = _truth(truth, train, data, split)
    if (a is not None or b is not None) and known.train is None:
        raise ConfigError("--a and --b are of PSP and PSnDCG, which need --train or a dataset")
    if b is not None and b <= 0:
        raise ConfigError(f"--b {b:g}: expected more than 0")
    shape = known.test.shape
    left_out = read_filter_labels(filter_labels, shape) if filter_labels else None
    known_names = read_names(names, shape[1]) if names else None
    top = read_predictions(predictions, max(cuts), shape, left_out, known_names)
    a, b = known.a if a is None else a, known.b if b is None else b
    metrics = all_metrics(top, known.test, known.train, cuts, a, b)
    about = _about(known, top)
    if left_out is not None:
        about["pairs_filtered"] = left_out.nnz
    if known.train is not None:
        about |= {"propensity_a": a, "propensity_b": b}
    _print(metrics, about, format_)


def _cuts(text: str) -> list[int]:
    words = [word.strip() for word in text.split(",")]
    if not all(word.isdecimal() and 0 < int(word) <= 10_000 for word in words):
        raise ConfigError(f"--k {text!r}: expected numbers from 1 to 10000, as in 1,3,5")
    return sorted({int(word) for word in words})


def _truth(truth: str, train: Path | None, data: Path, split: int) -> _Truth:
    from xcbench.data.matrix import widened
    from xcbench.data.predictions.truth import read_labels

    if not os.path.isfile(truth):
        return _of_dataset(truth, train, data, split)
    test = read_labels(Path(truth))
    if train is None:
        return _Truth(test, None)
    training = read_labels(train)
    if test.shape[1] != training.shape[1]:
        typer.echo(
            f"warning: {truth} states {test.shape[1]} labels, {train} {training.shape[1]}: both "
            "are read with the larger number",
            err=True,
        )
    n_labels = max(test.shape[1], training.shape[1])
    return _Truth(widened(test, n_labels), widened(training, n_labels))


def _of_dataset(name: str, train: Path | None, data: Path, split: int) -> _Truth:
    from xcbench.config.dataset import DatasetConfig
    from xcbench.data.catalogue import catalogue
    from xcbench.data.load import load
    from xcbench.data.sources import locate

    if "/" in name and not (data / name).is_dir():
        raise DataError(f"{name}: no such file (looked for it in {Path.cwd()})")
    parts = load(locate(DatasetConfig(name=name), data, split))
    if train is not None:
        raise ConfigError("--train goes with a file of true labels; a dataset has its own")
    entry = catalogue().get(name)
    if entry is None:
        return _Truth(parts.test.Y, parts.train.Y)
    return _Truth(parts.test.Y, parts.train.Y, entry.propensity.a, entry.propensity.b)


def _about(known: _Truth, top: TopK) -> dict[str, Any]:
    from xcbench.data.statistics import empty_rows

    n, n_labels = known.test.shape
    return {
        "rows": n,
        "labels": n_labels,
        "rows_without_labels": empty_rows(known.test),
        "rows_without_predictions": int((top.labels[:, 0] < 0).sum()),
    }


def _print(metrics: dict[str, float], about: dict[str, Any], format_: Format) -> None:
    if format_ is Format.JSON:
        typer.echo(json.dumps(about | {"metrics": metrics}, indent=1))
    elif format_ is Format.CSV:
        typer.echo("metric,k,percent")
        for key, value in metrics.items():
            typer.echo(f"{key.replace('@', ',')},{value!r}")
    else:
        from rich.console import Console

        Console().print(_table(metrics))
    if format_ is not Format.JSON:
        for what, count in about.items():
            typer.echo(f"{what.replace('_', ' '):<26}{count}", err=format_ is Format.CSV)


def _table(metrics: dict[str, float]) -> Table:
    from rich.table import Table

    rows: dict[str, list[str]] = {}
    table = Table("percent")
    for key, value in metrics.items():
        measure, cut = key.split("@")
        if measure == "P":
            table.add_column(f"@{cut}", justify="right")
        rows.setdefault(measure, []).append(f"{value:.2f}")
    for measure, values in rows.items():
        table.add_row(measure, *values)
    return table
