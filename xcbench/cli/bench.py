"""``xcbench bench``: time the stages against the libraries a user would call otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xcbench.cli.options import DEFAULT_DATA, DataRoot
from xcbench.errors import ConfigError

if TYPE_CHECKING:
    from xcbench.bench.machine import Machine
    from xcbench.bench.timing import Row

PARTS = ("reader", "stages", "completion")

Configs = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[CONFIG]", help="Configs whose method `rxml` is timed against omikuji."
    ),
]


def bench(
    configs: Configs = None,
    data: DataRoot = DEFAULT_DATA,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="PART", help=f"One of {', '.join(PARTS)}; repeatable."),
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Runs of each; the median counts.")] = 3,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the rows as CSV too.")
    ] = None,
) -> None:
    """Time each stage against a peer, one thread, in one run; a ratio above 1 means faster.

    The stages run on a fixed synthetic problem in the shape of Bibtex. With configs, the method
    rxml of each also trains on its real data, beside omikuji with its defaults. Peers that are not
    installed are left out (pip install 'xcbench[peers,dev]').
    """
    from threadpoolctl import threadpool_limits

    from xcbench.bench.machine import measure
    from xcbench.bench.table import print_rows, write_csv

    unknown = sorted(set(only or ()) - set(PARTS))
    if unknown:
        raise ConfigError(f"--only {unknown[0]}: expected one of {', '.join(PARTS)}")
    if not only and not configs:
        only = list(PARTS)
    with threadpool_limits(1):
        machine = measure(repeats)
        rows = [*_stages(only or [], machine, repeats), *_real(configs or [], data, repeats)]
    print_rows(rows, machine)
    if out is not None:
        write_csv(rows, out)


def _stages(only: list[str], machine: Machine, repeats: int) -> Iterator[Row]:
    from xcbench.bench.completion import bench_completion
    from xcbench.bench.reader import bench_reader
    from xcbench.bench.stages import bench_stages
    from xcbench.bench.synthetic import bibtex_like

    if "reader" in only:
        yield from bench_reader(repeats)
    if "stages" in only:
        yield from bench_stages(bibtex_like(), machine, repeats)
    if "completion" in only:
        yield from bench_completion(bibtex_like(), machine, repeats)


def _real(configs: list[Path], data: Path, repeats: int) -> Iterator[Row]:
    from xcbench.bench.real import bench_real
    from xcbench.config.loader import load_config
    from xcbench.config.methods import LocalEmbeddingSettings
    from xcbench.data.sources import locate
    from xcbench.data.store import prepare

    for path in configs:
        config = load_config(path)
        method = next((m for m in config.methods if m.label == "rxml"), None)
        if method is None or not isinstance(method.settings, LocalEmbeddingSettings):
            raise ConfigError(f"{path}: no method `rxml` to time; expected one under methods")
        dataset = config.body.dataset
        prepared = prepare(locate(dataset, data, config.body.splits[0]), dataset.features)
        yield from bench_real(
            dataset.title,
            prepared.train,
            prepared.test,
            method.settings,
            repeats,
        )
