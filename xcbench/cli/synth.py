"""``xcbench data synth``: make data of the shape of a known dataset, where that cannot be had."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xcbench.cli.options import DEFAULT_DATA, DataRoot
from xcbench.errors import ConfigError

if TYPE_CHECKING:
    from xcbench.data.synthesis.shape import SynthesisShape

_EVERY_S = 30  # without a terminal


Name = Annotated[str, typer.Argument(metavar="NAME", help="What to call it: DIR/NAME.")]
Like = Annotated[
    str | None, typer.Option(metavar="NAME", help="The dataset of the catalogue to be like.")
]
Scale = Annotated[
    float | None,
    typer.Option(metavar="S", help="S times its points and labels, sqrt(S) times its features."),
]
Points = Annotated[int | None, typer.Option(help="Training points, without --like.")]
TestPoints = Annotated[int | None, typer.Option(help="Test points.")]
Features = Annotated[int | None, typer.Option(help="Features.")]
Labels = Annotated[int | None, typer.Option(help="Labels.")]
Average = Annotated[float | None, typer.Option(help="On average.")]
Seed = Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Same sizes, same seed: same bytes.")]
Force = Annotated[
    bool, typer.Option("--force", help="Replace the data of that name, if synth made it.")
]


def synth(
    name: Name,
    data: DataRoot = DEFAULT_DATA,
    like: Like = None,
    scale: Scale = None,
    points: Points = None,
    test_points: TestPoints = None,
    features: Features = None,
    labels: Labels = None,
    features_per_point: Average = None,
    labels_per_point: Average = None,
    seed: Seed = 0,
    force: Force = False,
) -> None:
    """Make up a dataset as large and as sparse as a real one, to time methods on.

    It is for speed and memory, not for ranking methods: which method is the more accurate on it
    says nothing about real data. It has the sizes, averages and power laws of the real one and
    planted topics, and is used by its name. Of the ten of Table 1 the largest, Amazon-670K, takes
    660 MB of text and less than a minute. How it was made is noted in DIR/NAME/synth.json.
    """
    sizes = {
        "points": points,
        "test-points": test_points,
        "features": features,
        "labels": labels,
        "features-per-point": features_per_point,
        "labels-per-point": labels_per_point,
    }
    _require_free_name(name)
    shape = _scaled(like, scale, sizes) if like is not None else _explicit(scale, sizes)
    _make(data / name, name, shape, seed, force)
    typer.echo(
        f"{name}: {shape.n_train} + {shape.n_test} rows, {shape.n_features} features, "
        f"{shape.n_labels} labels\n{data / name}"
    )


def _make(folder: Path, name: str, shape: SynthesisShape, seed: int, force: bool) -> None:
    """Write the data, with a bar, where there is room for it."""
    from tqdm import tqdm

    from xcbench.data.synthesis.make import synthesize
    from xcbench.data.synthesis.room import require_room
    from xcbench.runner.available_memory import available_memory

    require_room(shape, folder, available_memory())
    total, bars = shape.n_train + shape.n_test, sys.stderr.isatty()
    wait = {} if bars else {"delay": _EVERY_S, "mininterval": _EVERY_S}
    with tqdm(total=total, desc=name, unit=" points", dynamic_ncols=True, **wait) as bar:
        synthesize(
            folder, shape, seed, force=force, advance=lambda count: bar.update(count) and None
        )


def _require_free_name(name: str) -> None:
    """Refuse a name no config can say, and those of real data."""
    from pydantic import ValidationError

    from xcbench.config.dataset import DatasetConfig
    from xcbench.data.catalogue import catalogue

    try:
        DatasetConfig(name=name)
        usable = not {"", ".", ".."}.intersection(name.split("/")) and not name.startswith(".")
    except ValidationError:
        usable = False
    if not usable:
        raise ConfigError(
            f"found the name {name!r}; expected that of a folder below the data folder"
        )
    for entry in catalogue().values():
        if name in (entry.name, *entry.folders):
            raise ConfigError(f"{name!r} is where the real {entry.title} goes; take another name")


def _scaled(like: str, scale: float | None, sizes: dict[str, int | float | None]) -> SynthesisShape:
    import difflib

    from xcbench.data.catalogue import catalogue
    from xcbench.data.synthesis.shape import SynthesisShape

    for option, value in sizes.items():
        if value is not None:
            raise ConfigError(f"--{option} goes without --like, which gives the sizes")
    known = catalogue()
    if like not in known:
        close = difflib.get_close_matches(like.lower(), known, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else "; `xcbench data list` shows the names"
        raise ConfigError(f"--like {like!r}: not in the catalogue{hint}")
    return SynthesisShape.like(known[like], 1.0 if scale is None else scale, "--scale")


def _explicit(scale: float | None, sizes: dict[str, int | float | None]) -> SynthesisShape:
    from xcbench.data.synthesis.shape import SynthesisShape

    missing = [f"--{option}" for option, value in sizes.items() if value is None]
    if missing:
        raise ConfigError(f"give --like NAME, or all sizes; {', '.join(missing)} missing")
    if scale is not None:
        raise ConfigError("--scale goes with --like")
    return SynthesisShape(*sizes.values())  # type: ignore[arg-type]
