"""``xcbench evaluate``: metrics of anybody's predictions."""

from __future__ import annotations

import json
import os
import shlex
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from xcbench.cli.options import DEFAULT_DATA, DataRoot
from xcbench.errors import ConfigError, DataError

if TYPE_CHECKING:
    import numpy as np
    from rich.table import Table
    from scipy import sparse

    from xcbench.data.dataset import TopK

# Propensity constants where none are published for a dataset.
_A, _B = 0.55, 1.5
# What --a and --b may be: powers of them stay finite.
_MOST_A, _MOST_B = 10, 10_000


class Format(StrEnum):
    """How the metrics are printed."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


@dataclass(frozen=True, eq=False)
class _Truth:
    """Labels of the test and training rows, the folder they lie in, and propensity constants."""

    test: sparse.csr_array
    train: sparse.csr_array | None
    folder: Path
    a: float = _A
    b: float = _B


def evaluate(
    predictions: Annotated[
        Path, typer.Argument(metavar="PREDICTIONS", help="A file of predictions.")
    ],
    truth: Annotated[
        str, typer.Argument(metavar="TRUTH", help="True labels: a file, a dataset or its folder.")
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
        typer.Option("--a", help="Propensity constant A, 0 to 10; a dataset's own, else 0.55."),
    ] = None,
    b: Annotated[
        float | None,
        typer.Option("--b", help="Propensity constant B, to 10000; a dataset's own, else 1.5."),
    ] = None,
    names: Annotated[
        Path | None,
        typer.Option("--names", metavar="FILE", help="Label names; else Yf.txt beside TRUTH."),
    ] = None,
    format_: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.TABLE,
    data: DataRoot = DEFAULT_DATA,
    split: Annotated[int, typer.Option(min=1, help="Of a dataset with split files.")] = 1,
) -> None:
    """Print P@k and nDCG@k, and with training labels PSP@k and PSnDCG@k, of predictions.

    PREDICTIONS: what `xcbench predict` writes (tsv, jsonl, npz) or a run stores; a score matrix as
    XC text (header `n l`, rows `label:score`) or scipy .npz; or lists, a line a row, as `17:0.9
    3:0.4` or, best first, `17,3`; all counted from 0. Scores that are equal rank by the smaller
    label. With names (Yf.txt beside TRUTH, or --names) also lists of names, tabs between them;
    where a file has numbers and names, they must agree. Files only, no pipes.

    TRUTH and --train: one-file XC text, split form (header `n l`), scipy .npz; or TRUTH is a
    dataset, by its name in --data or its folder: its test part is used, and its training part gives
    the propensities.

    --filter-labels is the filter_labels_test.txt of the XC repository's LF-* datasets: its pairs
    leave the predictions before the first k are counted, the truth stays. The convention is that of
    pyxclib and napkinXC: rows without labels count, as 0, and short lists are filled with misses.
    """
    from xcbench.data.predictions.files import read_predictions
    from xcbench.data.predictions.filter_labels import read_filter_labels
    from xcbench.metrics import evaluate as all_metrics

    cuts = _cuts(k)
    _refuse_swapped(predictions, truth, data)
    _refuse_tables(truth)
    known = _truth(truth, train, data, split)
    if (a is not None or b is not None) and known.train is None:
        raise ConfigError("--a and --b are of PSP and PSnDCG, which need --train or a dataset")
    _require_constants(a, b)
    shape = known.test.shape
    left_out = read_filter_labels(filter_labels, shape) if filter_labels else None
    known_names = _names(names, known)
    a, b = known.a if a is None else a, known.b if b is None else b
    try:
        top = read_predictions(
            predictions, max(cuts), shape, left_out, known_names, names is not None
        )
        metrics = all_metrics(top, known.test, known.train, cuts, a, b)
    except MemoryError:
        raise ConfigError(
            f"--k {max(cuts)}: so many labels of {shape[0]} rows do not fit in memory; try fewer"
        ) from None
    about = _about(known, top, max(cuts))
    _warn(predictions, top, about, max(cuts))
    if not any(metrics.values()) and known.test.nnz:
        typer.echo(
            f"warning: {predictions}: not one prediction is right; rows or labels may be numbered "
            "otherwise than the truth's",
            err=True,
        )
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
    from xcbench.data.predictions.truth import read_labels, require_file

    require_file(Path(truth))
    if not os.path.isfile(truth):
        return _of_dataset(truth, train, data, split)
    test = read_labels(Path(truth))
    if train is None:
        return _Truth(test, None, Path(truth).parent)
    training = read_labels(train)
    if test.shape[1] != training.shape[1]:
        typer.echo(
            f"warning: {truth} states {test.shape[1]} labels, {train} {training.shape[1]}: both "
            "are read with the larger number",
            err=True,
        )
    n_labels = max(test.shape[1], training.shape[1])
    return _Truth(widened(test, n_labels), widened(training, n_labels), Path(truth).parent)


def _of_dataset(name: str, train: Path | None, data: Path, split: int) -> _Truth:
    from xcbench.config.dataset import DatasetConfig
    from xcbench.data.catalogue import catalogue
    from xcbench.data.load import load
    from xcbench.data.sources import locate

    leaves = os.path.isabs(name) or ".." in Path(name).parts
    is_known = not leaves and ((data / name).is_dir() or name in catalogue())
    if not is_known and os.path.isdir(name):
        folder = Path(os.path.abspath(name))
        name, data = folder.name, folder.parent
    if "/" in name and not (data / name).is_dir():
        raise DataError(f"{name}: no such file (looked for it in {Path.cwd()})")
    sources = locate(DatasetConfig(name=name), data, split)
    parts, folder = load(sources), sources.files[0].parent
    if train is not None:
        raise ConfigError("--train goes with a file of true labels; a dataset has its own")
    entry = catalogue().get(name)
    if entry is None:
        return _Truth(parts.test.Y, parts.train.Y, folder)
    return _Truth(parts.test.Y, parts.train.Y, folder, entry.propensity.a, entry.propensity.b)


def _names(given: Path | None, known: _Truth) -> tuple[str, ...] | None:
    """The label names that were given, else those beside the truth, if they are of its labels."""
    from xcbench.data.names import LABEL_NAMES, read_names

    beside = known.folder / LABEL_NAMES
    if given is None and not beside.is_file():
        return None
    try:
        return read_names(given or beside, known.test.shape[1])
    except DataError as error:
        if given is not None:
            raise
        typer.echo(f"warning: {error}; names are not compared", err=True)
        return None


def _refuse_tables(truth: str) -> None:
    """A table of texts with labels becomes a truth once its labels are numbered."""
    if Path(truth).is_file() and truth.lower().endswith((".csv", ".csv.gz")):
        raise DataError(
            f"{truth}: is a table; expected numbered labels. `xcbench data convert TRAINING --test "
            f"{truth} --out data/both ...` makes a dataset whose test part is the truth; lists of "
            "names, which hold whatever the numbers, are matched with it"
        )


def _refuse_swapped(predictions: Path, truth: str, data: Path) -> None:
    """Refuse a dataset in the place of the predictions, and a file in its place."""
    from xcbench.data.catalogue import catalogue

    is_dataset = predictions.is_dir() or (data / predictions).is_dir()
    is_dataset = is_dataset or str(predictions) in catalogue()
    if is_dataset and not predictions.is_file() and os.path.isfile(truth):
        right = shlex.join(["xcbench", "evaluate", truth, str(predictions)])
        raise ConfigError(f"{predictions} is a dataset and stands first; did you mean `{right}`?")


def _require_constants(a: float | None, b: float | None) -> None:
    # Not to be a number fails every comparison.
    if a is not None and not 0 <= a <= _MOST_A:
        raise ConfigError(f"--a {a:g}: expected 0 to {_MOST_A}")
    if b is not None and not 0 < b <= _MOST_B:
        raise ConfigError(f"--b {b:g}: expected more than 0, at most {_MOST_B}")


def _warn(predictions: Path, top: TopK, about: dict[str, Any], k: int) -> None:
    """Say what may be a mistake: rows numbered from 1, a file that is cut, lists too short."""
    is_empty: np.ndarray = top.labels[:, 0] < 0
    if is_empty[0] or is_empty[-1]:
        n = is_empty.size
        where = [f"the first is row {is_empty.argmax()}"] if is_empty[0] else []
        if is_empty[-1] and not is_empty.all():
            where += [f"predictions end at row {n - 1 - is_empty[::-1].argmin()} of {n}"]
        typer.echo(
            f"warning: {predictions}: {is_empty.sum()} of {n} rows have no predictions and count "
            f"as misses; {' and '.join(where)}, counted from 0",
            err=True,
        )
    short = about[f"rows_with_fewer_than_{k}"]
    if short > is_empty.sum():
        typer.echo(
            f"warning: {predictions}: {short} of {is_empty.size} rows have fewer than {k} "
            "predictions; P@k counts what is missing as misses",
            err=True,
        )


def _about(known: _Truth, top: TopK, k: int) -> dict[str, Any]:
    from xcbench.data.statistics import empty_rows

    n, n_labels = known.test.shape
    return {
        "rows": n,
        "labels": n_labels,
        "rows_without_labels": empty_rows(known.test),
        "rows_without_predictions": int((top.labels[:, 0] < 0).sum()),
        f"rows_with_fewer_than_{k}": int(((top.labels >= 0).sum(axis=1) < k).sum()),
    }


def _print(metrics: dict[str, float], about: dict[str, Any], format_: Format) -> None:
    if format_ is Format.JSON:
        typer.echo(json.dumps(about | {"metrics": metrics}, indent=1, allow_nan=False))
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
