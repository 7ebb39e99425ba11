"""``xcbench data split``: part a file of points into training and test rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xcbench.cli.workers import kill_workers
from xcbench.errors import ConfigError, DataError

if TYPE_CHECKING:
    from xcbench.data.splits.rows import RowParts
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
        bool,
        typer.Option(
            "--keep-labels",
            help="Every label keeps a training point, as in the XC repository; that makes the test "
            "easier.",
        ),
    ] = False,
    splits: Annotated[
        int | None,
        typer.Option(min=1, max=1000, help="Write so many splits as files of row numbers."),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option("--labels", metavar="FILE", help="FILE is features alone; these are its Y."),
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Replace files that are there; remove names of other data."),
    ] = False,
) -> None:
    """Part the points of a file at random into training and test rows.

    Writes train.txt and test.txt into DIR, which can then be named as a dataset. Row order is kept.
    With --splits N the data is not parted but N splits are listed, as the XC repository does:
    data.txt with trSplit.txt and tstSplit.txt, row numbers from 1, a column a split; a config
    chooses them with `splits: [1, 2]`. Split i is that of seed SEED + i - 1. Yf.txt, Xf.txt and
    text.json beside FILE are taken along. A folder that holds another dataset, or the same one in
    another layout, is refused. With --labels FILE may be split form or .npz.
    """
    from xcbench.data.splits.write import read_points
    from xcbench.runner.signals import ended_by_signals

    if not 0 < test_share < 1:
        raise ConfigError(f"--test-share {test_share:g}: expected more than 0 and less than 1")
    if splits is None and out is None:
        raise ConfigError("where to? name a folder with --out")
    points = read_points(file, labels)
    seeds = range(seed, seed + (splits or 1))
    parts = [_rows(file, points, test_share, number, keep_labels) for number in seeds]
    target = _Target(out or file.parent, file, labels, force)
    try:
        with ended_by_signals(kill_workers):
            if splits is None:
                _write_parts(target, points, parts[0])
            else:
                _write_splits(target, points, parts)
    except OSError as error:
        raise ConfigError(f"{target.folder}: cannot be written ({error.strerror})") from None


@dataclass(frozen=True)
class _Target:
    """Where to, what is read, and whether files may be replaced."""

    folder: Path
    file: Path
    labels: Path | None
    force: bool

    @property
    def is_beside(self) -> bool:
        """Whether the folder is that of the file."""
        return self.folder.resolve() == self.file.resolve().parent

    def refuse(self, names: list[str], stale: list[Path]) -> None:
        """Refuse what would be lost, or leave a folder in which two datasets are mixed."""
        from xcbench.data.splits.write import other_layout

        read = {path.resolve() for path in (self.file, self.labels) if path is not None}
        there = [path for name in names if (path := self.folder / name).exists()]
        for path in (*there, *stale):
            if path.resolve() in read:
                raise ConfigError(f"{path} is what is read; name another folder with --out")
        if there and not self.force:
            raise ConfigError(f"{there[0]} is there already; --force replaces it")
        if layout := other_layout(self.folder, names):
            raise ConfigError(
                f"{self.folder} holds {layout}, so which data is meant would not be clear; remove "
                "those, or name another folder with --out"
            )
        if stale and not self.force:
            raise ConfigError(f"{stale[0]} does not belong to this data; --force removes it")


def _rows(file: Path, points: XCText, share: float, seed: int, keep_labels: bool) -> RowParts:
    from xcbench.data.splits.rows import split_rows

    try:
        rows = split_rows(points.Y, share, seed, keep_labels)
    except DataError as error:
        raise DataError(f"{file}: {error}") from None
    wanted = round(points.Y.shape[0] * share)
    if rows.test.size < wanted:
        typer.echo(
            f"note: seed {seed}: {rows.test.size} test rows instead of {wanted}; the others hold "
            "labels that no training row would keep",
            err=True,
        )
    return rows


def _write_parts(target: _Target, points: XCText, rows: RowParts) -> None:
    from xcbench.data.matrix import column_counts, take_rows
    from xcbench.data.splits.write import carried_names, copy_files, stale_files, write_part
    from xcbench.data.whole.file import whole_files

    names = ["train.txt", "test.txt"]
    out, source = target.folder, target.file.parent
    found = carried_names(source, points)
    carried = [] if target.is_beside else found
    stale = stale_files(out, [*names, *found])
    target.refuse([*names, *carried], stale)
    with whole_files(out) as work:
        for name, part in zip(names, (rows.train, rows.test), strict=True):
            write_part(work / name, points, part)
        copy_files(source, work, carried)
        for path in stale:
            path.unlink()
    for name, part in zip(names, (rows.train, rows.test), strict=True):
        typer.echo(f"{out / name}: {part.size} rows")
    for name in carried:
        typer.echo(out / name)
    typer.echo(rows)
    in_train = column_counts(take_rows(points.Y, rows.train))[0].size
    lost = column_counts(points.Y)[0].size - in_train
    typer.echo(f"{lost} labels are in the test part only")


def _write_splits(target: _Target, points: XCText, parts: list[RowParts]) -> None:
    from xcbench.data.splits.write import carried_names, copy_files, stale_files, write_split_file
    from xcbench.data.whole.file import whole_files
    from xcbench.data.xc_text import write_xc

    if len({rows.test.size for rows in parts}) > 1:
        raise DataError(
            f"{target.file}: the splits have test parts of different sizes, which files of row "
            "numbers cannot hold; take a smaller --test-share"
        )
    out, source = target.folder, target.file.parent
    prefix = _prefix(target.file) if target.is_beside else ""
    names = [f"{prefix}trSplit.txt", f"{prefix}tstSplit.txt"]
    carried = carried_names(source, points)
    others = [] if target.is_beside else ["data.txt", *carried]
    # Beside the data all that is there may be of this data.
    stale = [] if target.is_beside else stale_files(out, [*names, *others])
    target.refuse([*names, *others], stale)
    with whole_files(out) as work:
        columns = [rows.train for rows in parts], [rows.test for rows in parts]
        for name, column in zip(names, columns, strict=True):
            write_split_file(work / name, column)
        if not target.is_beside:
            write_xc(work / "data.txt", points.X, points.Y)
            copy_files(source, work, carried)
        for path in stale:
            path.unlink()
    first = parts[0]
    typer.echo(
        f"{out / names[0]}, {names[1]}: {len(parts)} splits, {first.train.size} + "
        f"{first.test.size} rows"
    )
    for number, rows in enumerate(parts, start=1):
        if number == 1 or rows.n_passed_over is not None:
            typer.echo(f"split {number}: {rows}")


def _prefix(file: Path) -> str:
    """What stands before ``data.txt`` in the file's name, and so before ``trSplit.txt``."""
    stem = file.name.removesuffix(".gz").removesuffix(".txt")
    if not stem.endswith("data"):
        raise ConfigError(
            f"{file}: a dataset with split files is found by the name data.txt; rename it, or "
            "name another folder with --out"
        )
    return stem.removesuffix("data")
