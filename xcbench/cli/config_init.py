"""``xcbench config init``: write a config with every key and what it does."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xcbench.cli.complete import dataset_names, method_names
from xcbench.cli.options import DEFAULT_DATA, DataRoot
from xcbench.errors import ConfigError

if TYPE_CHECKING:
    from xcbench.config.dataset import DatasetConfig
    from xcbench.config.schema import MethodConfig
    from xcbench.data.glance import Glance
    from xcbench.tasks.base import Sizes

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

    It runs as it is, and gives the same runs as one that only names the methods; where there are
    fewer labels than the usual cut-offs k of the metrics, these are left out. Exit codes: 0
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
    chosen, about, sizes = _dataset(dataset, data)
    notes = [
        f"Written by `xcbench config init`; `xcbench run {out or 'FILE'}` runs it. Values are the "
        "defaults: change or remove any. What stands in brackets is what a key takes.",
    ]
    return commented(chosen, methods, notes, about, _tuning(methods, sizes), _cuts(sizes.n_labels))


def _methods(names: tuple[str, ...]) -> list[MethodConfig]:
    from xcbench.config.problems import Problem
    from xcbench.config.resolve import resolve_method
    from xcbench.config.tasks import XC

    problems: list[Problem] = []
    found = [resolve_method({"preset": name}, (), XC, problems) for name in names]
    if problems:
        raise ConfigError("\n".join(f"--method: {problem.message}" for problem in problems))
    return [method for method in found if method is not None]


def _cuts(n_labels: int | None) -> tuple[int, ...]:
    """The usual k, those that there are labels for."""
    from xcbench.config.dataset import MetricsConfig

    usual = MetricsConfig().k
    return tuple(k for k in usual if n_labels is None or k <= n_labels) or usual[:1]


def _dataset(name: str, data: Path) -> tuple[DatasetConfig, list[str], Glance]:
    """The dataset with its usual scaling, what is known of it, and its sizes.

    Raises
    ------
    DataError
        Neither the catalogue nor the data folder has it.
    """
    from xcbench.config.dataset import DatasetConfig
    from xcbench.data.catalogue import catalogue
    from xcbench.data.glance import Glance, glance, usual_features
    from xcbench.data.sources import locate
    from xcbench.errors import DataError

    entry = catalogue().get(name)
    config = DatasetConfig(name=name)
    try:
        sources = locate(config, data)
        sizes = glance(sources)
        about = [str(sizes)]
        features = entry.features if entry else usual_features(sources)
    except DataError:
        if entry is None:
            raise
        features, about = entry.features, [f"not in {data} yet: `xcbench data info {name}`"]
        sizes = Glance(entry.n_train, entry.n_test, entry.n_features, entry.n_labels)
    if entry:
        about.insert(0, entry.title)
    chosen = config.model_copy(update={"features": features})
    return chosen, [", ".join(filter(None, about))], sizes


def _tuning(methods: list[MethodConfig], sizes: Glance) -> str:
    """The usual search space of a method on data of these sizes, where it is the only one."""
    from xcbench.config.yaml import inline
    from xcbench.tuning.space import fitting, usual_space

    if len(methods) > 1:
        return ""
    settings = methods[0].settings
    space = fitting(usual_space(settings), settings, _searched(sizes))
    if not space:
        return ""
    lines = [f"  {key}: {inline(span.mapping())}" for key, span in space.items()]
    return "\n".join(["What `xcbench tune` searches; runs take no notice of it.", "tune:", *lines])


def _searched(sizes: Glance) -> Sizes:
    """The sizes that a search has, which holds rows out; of what is not known without bound."""
    from xcbench.config.dataset import HeldOutConfig
    from xcbench.tasks.base import Sizes

    known = (sizes.n_train, sizes.n_test, sizes.n_features, sizes.n_labels)
    n_train, *others = (sys.maxsize if size is None else size for size in known)
    return Sizes(n_train - round(n_train * HeldOutConfig().share), *others)
