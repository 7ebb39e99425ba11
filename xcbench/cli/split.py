"""``xcbench data split``: part a file of points into training and test rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xcbench.errors import ConfigError, DataError

if TYPE_CHECKING:
    import numpy as np

    from xcbench.data.xc_text import XCText


def split(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="All points: XC text, plain or gzipped.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="A dataset's folder; with --splits FILE's own."),
    ] = None,
    test_share: Annotated[
        float, typer.Option("--test-share", metavar="SHARE", help="Between 0 and 1.")
    ] = 0.2,
    seed: Annotated[int, typer.Option(min=0, help="Of the random order.")] = 0,
    keep_labels: Annotated[
        bool, typer.Option("--keep-labels", help="Every label keeps a training point.")
    ] = False,
    splits: Annotated[
        int | None,
        typer.Option(min=1, max=1000, help="Write so many splits as files of row numbers."),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option("--labels", metavar="FILE", help="FILE is features alone; these are its Y."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there.")] = False,
) -> None:
    """Part the points of a file at random into training and test rows.

    Writes train.txt and test.txt into DIR, which can then be named as a dataset. Row order is kept.
    With --splits N the data is not parted but N splits are listed, as the XC repository does:
    data.txt with trSplit.txt and tstSplit.txt, row numbers from 1, a column a split; a config
    chooses them with `splits: [1, 2]`. Split i is that of seed SEED + i - 1. Yf.txt, Xf.txt and
    text.json beside FILE are taken along. With --labels FILE may be split form or .npz.
    """
    from xcbench.data.splits.write import read_points

    if not 0 < test_share < 1:
        raise ConfigError(f"--test-share {test_share:g}: expected more than 0 and less than 1")
    if splits is None and out is None:
        raise ConfigError("where to? name a folder with --out")
    points = read_points(file, labels)
    seeds = range(seed, seed + (splits or 1))
    parts = [_rows(file, points, test_share, number, keep_labels) for number in seeds]
    folder = out or file.parent
    try:
        if splits is None:
            _write_parts(file, folder, points, parts[0], force)
        else:
            _write_splits(file, folder, points, parts, force)
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be written ({error.strerror})") from None


def _rows(
    file: Path, points: XCText, share: float, seed: int, keep_labels: bool
) -> tuple[np.ndarray, np.ndarray]:
    from xcbench.data.splits.rows import split_rows

    try:
        train, test = split_rows(points.Y, share, seed, keep_labels)
    except DataError as error:
        raise DataError(f"{file}: {error}") from None
    wanted = round(points.Y.shape[0] * share)
    if test.size < wanted:
        typer.echo(
            f"note: seed {seed}: {test.size} test rows instead of {wanted}; the others hold labels "
            "that no training row would keep",
            err=True,
        )
    return train, test


def _write_parts(
    file: Path, out: Path, points: XCText, rows: tuple[np.ndarray, np.ndarray], force: bool
) -> None:
    from xcbench.data.matrix import column_counts, take_rows
    from xcbench.data.splits.write import carry_names, write_part
    from xcbench.data.whole.file import whole_files

    names = ("train.txt", "test.txt")
    _refuse_replacing(file, out, names, force)
    with whole_files(out) as work:
        for name, part in zip(names, rows, strict=True):
            write_part(work / name, points, part)
        carried = carry_names(file.parent, work, points.Y, points.X.shape[1])
    for name, part in zip(names, rows, strict=True):
        typer.echo(f"{out / name}: {part.size} rows")
    for name in carried:
        typer.echo(out / name)
    in_train = column_counts(take_rows(points.Y, rows[0]))[0].size
    lost = column_counts(points.Y)[0].size - in_train
    typer.echo(f"{lost} labels are in the test part only")


def _write_splits(
    file: Path,
    out: Path,
    points: XCText,
    parts: list[tuple[np.ndarray, np.ndarray]],
    force: bool,
) -> None:
    from xcbench.data.splits.write import carry_names, write_split_file
    from xcbench.data.whole.file import whole_files
    from xcbench.data.xc_text import write_xc

    if len({test.size for _, test in parts}) > 1:
        raise DataError(
            f"{file}: the splits have test parts of different sizes, which files of row numbers "
            "cannot hold; take a smaller --test-share"
        )
    beside = out.resolve() == file.resolve().parent
    prefix = _prefix(file) if beside else ""
    names = (f"{prefix}trSplit.txt", f"{prefix}tstSplit.txt")
    _refuse_replacing(file, out, names if beside else (*names, "data.txt"), force)
    with whole_files(out) as work:
        for name, column in zip(names, zip(*parts, strict=True), strict=True):
            write_split_file(work / name, column)
        if not beside:
            write_xc(work / "data.txt", points.X, points.Y)
            carry_names(file.parent, work, points.Y, points.X.shape[1])
    train, test = parts[0]
    typer.echo(
        f"{out / names[0]}, {names[1]}: {len(parts)} splits, {train.size} + {test.size} rows"
    )


def _prefix(file: Path) -> str:
    """What stands before ``data.txt`` in the file's name, and so before ``trSplit.txt``."""
    stem = file.name.removesuffix(".gz").removesuffix(".txt")
    if not stem.endswith("data"):
        raise ConfigError(
            f"{file}: a dataset with split files is found by the name data.txt; rename it, or "
            "name another folder with --out"
        )
    return stem.removesuffix("data")


def _refuse_replacing(file: Path, out: Path, names: tuple[str, ...], force: bool) -> None:
    for name in names:
        for path in (out / name, out / f"{name}.gz"):
            if not path.exists():
                continue
            if path.resolve() == file.resolve():
                raise ConfigError(f"{path} is what is read; name another folder with --out")
            if not force:
                raise ConfigError(f"{path} is there already; --force replaces it")
            if path.suffix == ".gz":
                raise ConfigError(f"{path} would lie beside a new {name}; remove it first")
