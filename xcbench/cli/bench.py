"""``xcbench bench``: time the stages against the libraries a user would call otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xcbench.cli.options import DEFAULT_DATA, DataRoot, Jobs
from xcbench.cli.scaling import Growth, Like, PeersUpTo, Scales, Work, bench_scaling
from xcbench.errors import ConfigError

if TYPE_CHECKING:
    from xcbench.bench.machine import Machine
    from xcbench.bench.timing import Row

STAGES = ("reader", "stages", "completion")
SCALING = "scaling"
PARTS = (*STAGES, SCALING)

Configs = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[CONFIG]", help="Configs whose method `rxml` is timed against omikuji."
    ),
]
Only = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        metavar="PART",
        help=f"One of {', '.join(PARTS)}; repeatable.",
        autocompletion=lambda incomplete: [part for part in PARTS if part.startswith(incomplete)],
    ),
]
Repeats = Annotated[
    int, typer.Option(min=1, help="Runs of each; the median counts. Scaling runs each once.")
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FILE",
        help="Write the rows as CSV too; of scaling also its tables (.md) and figure (.svg, "
        ".png), beside it.",
    ),
]


def bench(
    configs: Configs = None,
    data: DataRoot = DEFAULT_DATA,
    only: Only = None,
    repeats: Repeats = 3,
    out: Out = None,
    scales: Scales = None,
    like: Like = None,
    peers_up_to: PeersUpTo = None,
    work: Work = None,
    jobs: Jobs = None,
) -> None:
    """Time each stage against a peer, one thread, in one run; a ratio above 1 means faster.

    The stages run on a fixed synthetic problem in the shape of Bibtex. With configs, the method
    rxml of each also trains on its real data, beside omikuji with its defaults. Peers that are not
    installed are left out (pip install 'xcbench[peers,dev]').

    --only scaling, which takes up to half an hour and runs alone, measures time and memory of rxml
    on made-up data against the numbers of points, features, labels and processes (up to --jobs, by
    default one a core), and omikuji and napkinXC beside it. With --out FILE.csv what was measured
    so far is kept in FILE.part.csv till all is done. Exit codes: 0 all was measured, 1 a
    measurement failed, 2 usage.
    """
    asked, parts = Growth(scales, like, peers_up_to, work, jobs), set(only or ())
    _require_parts(parts, asked, configs or [])
    if SCALING in parts:
        bench_scaling(asked, repeats, out)
    else:
        _bench_stages(parts, configs or [], data, repeats, out)


def _require_parts(parts: set[str], asked: Growth, configs: list[Path]) -> None:
    """Refuse parts there are not, and options that do not go together."""
    unknown = sorted(parts - set(PARTS))
    if unknown:
        from xcbench.config.problems import suggestion

        hint = suggestion(unknown[0], PARTS)
        raise ConfigError(f"--only {unknown[0]}: expected one of {', '.join(PARTS)}{hint}")
    if asked.jobs == 0:
        raise ConfigError("--jobs 0: expected -1 (one process a core) or at least 1")
    if SCALING in parts:
        if configs or parts != {SCALING}:
            raise ConfigError("--only scaling runs alone: without configs and other parts")
    elif misplaced := asked.first_given():
        raise ConfigError(f"{misplaced} belongs to --only scaling")


def _bench_stages(
    parts: set[str], configs: list[Path], data: Path, repeats: int, out: Path | None
) -> None:
    """Measure and print the rows of these parts, by default all, and of the configs."""
    from threadpoolctl import threadpool_limits

    from xcbench.bench.machine import measure
    from xcbench.bench.table import print_rows, write_csv

    if not parts and not configs:
        parts = set(STAGES)
    with threadpool_limits(1):
        machine = measure(repeats)
        rows = [*_stages(parts, machine, repeats), *_real(configs, data, repeats)]
    print_rows(rows, machine)
    if out is not None:
        write_csv(rows, out)


def _stages(parts: set[str], machine: Machine, repeats: int) -> Iterator[Row]:
    from xcbench.bench.completion import bench_completion
    from xcbench.bench.reader import bench_reader
    from xcbench.bench.stages import bench_stages
    from xcbench.bench.synthetic import bibtex_like

    if "reader" in parts:
        yield from bench_reader(repeats)
    if "stages" in parts:
        yield from bench_stages(bibtex_like(), machine, repeats)
    if "completion" in parts:
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
