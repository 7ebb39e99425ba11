"""``xcbench config init``: write a config with every key and what it does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xcbench.cli.complete import dataset_names, method_names
from xcbench.cli.options import DEFAULT_DATA, DataRoot
from xcbench.errors import ConfigError

if TYPE_CHECKING:
    from xcbench.config.dataset import DatasetConfig
    from xcbench.config.schema import MethodConfig

BUNDLED = "bioregistry"


def init(
    methods: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            metavar="NAME",
            help="A preset, such as rxml; repeatable. By default rxml.",
            autocompletion=method_names,
        ),
    ] = None,
    dataset: Annotated[
        str,
        typer.Option(
            "--dataset",
            metavar="NAME",
            help="A name of `xcbench data list`, or a folder in the data folder.",
            autocompletion=dataset_names,
        ),
    ] = BUNDLED,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write here instead of to the terminal."),
    ] = None,
    data: DataRoot = DEFAULT_DATA,
) -> None:
    """Write a config to start from: every key with its value, what it does and what it takes.

    It runs as it is, and gives the same runs as one that only names the methods. Exit codes: 0
    written, 2 no such method, or FILE is there already, 3 no such dataset.
    """
    from xcbench.cli.outputs import write_output

    if out is not None and out.exists():
        raise ConfigError(f"{out}: is there already; remove it, or write to another --out")
    text = _text(tuple(dict.fromkeys(methods or ("rxml",))), dataset, data, out)
    if out is None:
        typer.echo(text, nl=False)
        return
    write_output(out, text)
    typer.echo(f"wrote {out}", err=True)


def _text(names: tuple[str, ...], dataset: str, data: Path, out: Path | None) -> str:
    from xcbench.config.commented import commented

    methods = _methods(names)
    chosen, about = _dataset(dataset, data)
    notes = [
        f"Written by `xcbench config init`; `xcbench run {out or 'FILE'}` runs it. Values are the "
        "defaults: change or remove any. What stands in brackets is what a key takes.",
    ]
    return commented(chosen, methods, notes, about, _tuning(methods))


def _methods(names: tuple[str, ...]) -> list[MethodConfig]:
    from xcbench.config.problems import Problem
    from xcbench.config.resolve import resolve_method
    from xcbench.config.tasks import XC

    problems: list[Problem] = []
    found = [resolve_method({"preset": name}, (), XC, problems) for name in names]
    if problems:
        raise ConfigError("\n".join(f"--method: {problem.message}" for problem in problems))
    return [method for method in found if method is not None]


def _dataset(name: str, data: Path) -> tuple[DatasetConfig, list[str]]:
    """The dataset with its usual scaling, and what is known of it.

    Raises
    ------
    DataError
        Neither the catalogue nor the data folder has it.
    """
    from xcbench.config.dataset import DatasetConfig
    from xcbench.data.catalogue import catalogue
    from xcbench.data.glance import glance, usual_features
    from xcbench.data.sources import locate
    from xcbench.errors import DataError

    entry = catalogue().get(name)
    config = DatasetConfig(name=name)
    try:
        sources = locate(config, data)
        about = [str(glance(sources))]
        features = entry.features if entry else usual_features(sources)
    except DataError:
        if entry is None:
            raise
        features, about = entry.features, [f"not in {data} yet: `xcbench data info {name}`"]
    if entry:
        about.insert(0, entry.title)
    return config.model_copy(update={"features": features}), [", ".join(filter(None, about))]


def _tuning(methods: list[MethodConfig]) -> str:
    """The usual search space of a method, where it is the only one."""
    from xcbench.config.yaml import inline
    from xcbench.tuning.space import usual_space

    space = usual_space(methods[0].settings) if len(methods) == 1 else {}
    if not space:
        return ""
    lines = [f"  {key}: {inline(span.mapping())}" for key, span in space.items()]
    return "\n".join(["What `xcbench tune` searches; runs take no notice of it.", "tune:", *lines])
