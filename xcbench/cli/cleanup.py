"""``xcbench results gc``: remove from a results folder what is named and can be done without."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xcbench.cli.options import DEFAULT_RESULTS, ResultsRoot, seconds_of
from xcbench.cli.stores import open_results
from xcbench.errors import ConfigError, LockedError, XCBenchError

if TYPE_CHECKING:
    from xcbench.runner.cleanup import Kind, Leftover


def gc(
    models: Annotated[
        bool, typer.Option("--models", help="Remove the models of finished runs.")
    ] = False,
    interrupted: Annotated[
        bool,
        typer.Option(
            "--interrupted", help="Remove what runs that did not end left, kept tasks included."
        ),
    ] = False,
    logs: Annotated[
        bool, typer.Option("--logs", help="Remove the logs of calls that have ended.")
    ] = False,
    cache: Annotated[
        bool,
        typer.Option(
            "--cache", help="Remove prepared data that no process uses; a run prepares it again."
        ),
    ] = False,
    older_than: Annotated[
        float | None,
        typer.Option(
            "--older-than",
            parser=seconds_of,
            metavar="TIME",
            help="Only what was last written this long ago: 30d, 12h. Not with --cache.",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be removed, and remove nothing.")
    ] = False,
    results: ResultsRoot = DEFAULT_RESULTS,
) -> None:
    """Remove what is named; without a name, say what there is, how large, and remove nothing.

    Results, predictions, configs and the logs of runs with a result are never removed: a run
    without its model still counts as done. A run that is going on is skipped. Exit codes: 0 done or
    nothing to remove, 1 something could not be removed, 2 usage or no results folder.
    """
    if cache and older_than is not None:
        raise ConfigError("--older-than does not go with --cache, which is removed as a whole")
    asked: dict[Kind, bool] = {"models": models, "interrupted": interrupted, "logs": logs}
    kinds = [kind for kind, is_asked in asked.items() if is_asked]
    before = time.time() - (older_than or 0.0)
    if not (kinds or cache):
        _summarise(_found(results, list(asked), before))
        return
    tally = Tally("would remove" if dry_run else "removed")
    if kinds:
        _remove(results, kinds, before, tally, dry_run)
    if cache:
        _clear_cache(tally, dry_run)
    tally.say_total()


class Tally:
    """Says what is removed as it goes, and what that comes to."""

    def __init__(self, verb: str) -> None:
        self._verb = verb
        self._pieces = 0
        self._bytes = 0

    def add(self, kind: str, name: object, n_bytes: int) -> None:
        from xcbench.data.fetch.progress import shown_bytes

        typer.echo(f"{self._verb} {kind:11}  {name}  {shown_bytes(n_bytes)}")
        self._pieces += 1
        self._bytes += n_bytes

    def say_total(self) -> None:
        from xcbench.data.fetch.progress import shown_bytes

        size = f"{self._bytes} bytes ({shown_bytes(self._bytes)})"
        typer.echo(f"{self._verb} {self._pieces} in all: {size}")


def _found(results: Path, kinds: list[Kind], before: float) -> list[Leftover]:
    from xcbench.runner.cleanup import find_leftovers

    leftovers = find_leftovers(open_results(results), kinds)
    return [leftover for leftover in leftovers if leftover.changed <= before]


def _summarise(found: list[Leftover]) -> None:
    from xcbench.data.cache import cache_contents, default_cache_root
    from xcbench.data.fetch.progress import shown_bytes
    from xcbench.runner.cleanup import KINDS

    sizes: dict[str, list[int]] = {kind: [] for kind in (*KINDS, "cache")}
    for leftover in found:
        sizes[leftover.kind].append(leftover.bytes)
    for item in cache_contents(default_cache_root()):
        if not item.in_use:
            sizes["cache"].append(item.n_bytes)
    typer.echo("what could be removed, by option, and its size; nothing was removed:")
    for name, counts in sizes.items():
        typer.echo(f"  --{name:12} {len(counts):6}  {shown_bytes(sum(counts))}")


def _remove(results: Path, kinds: list[Kind], before: float, tally: Tally, dry_run: bool) -> None:
    from xcbench.runner.cleanup import remove_leftover

    store, errors = open_results(results), []
    for leftover in _found(results, kinds, before):
        try:
            freed = leftover.bytes if dry_run else remove_leftover(store, leftover)
        except LockedError as error:
            typer.echo(f"skipped: {error}")
        except XCBenchError as error:
            errors.append(str(error))
        else:
            tally.add(leftover.kind, leftover.name, freed)
    if errors:
        raise XCBenchError("\n".join(errors))


def _clear_cache(tally: Tally, dry_run: bool) -> None:
    from xcbench.data.cache import cache_contents, clear_cache, default_cache_root

    root = default_cache_root()
    found = cache_contents(root)
    removed = [item for item in found if not item.in_use] if dry_run else clear_cache(root)
    for item in removed:
        tally.add("cache", item.path, item.n_bytes)
    for path in sorted({item.path for item in found} - {item.path for item in removed}):
        typer.echo(f"skipped: {path} is in use")
