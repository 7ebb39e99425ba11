"""The runs behind the numbers, each with its config, machine, software, costs and hashes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import PurePath
from typing import Any

from xcbench.config.yaml import dump
from xcbench.report.html.markup import Markup, anchor, definitions, element, joined, lines
from xcbench.report.listing import shortened

# As Result.mapping() gives it.
Run = Mapping[str, Any]

# What provenance says of the machine and the checkout; the rest of it names software.
_NOT_SOFTWARE = ("host", "cpu", "cores", "ram_bytes", "git_commit", "git_dirty")


def run_list(runs: Sequence[Run]) -> Markup:
    """Runs as entries that open; those that did not end well come first, with their errors."""
    bad = [run for run in runs if run["status"] != "done"]
    done = [run for run in runs if run["status"] == "done"]
    return joined(map(_entry, [*bad, *done]))


def machine(run: Run) -> str:
    """Where it ran: host, processor, cores, memory."""
    found = run["provenance"]
    parts = [found.get("cpu", "")]
    parts += [f"{found['cores']} cores"] if found.get("cores") else []
    parts += [f"{found['ram_bytes'] / 1e9:.0f} GB"] if found.get("ram_bytes") else []
    return f"{found.get('host', '')}: {', '.join(part for part in parts if part)}"


def when(run: Run) -> str:
    """The moment it ended, to the second."""
    return f"{run['utc'][:19].replace('T', ' ')} UTC"


def commit(run: Run) -> str:
    """The commit the package was of, and whether it differed from it."""
    found = run["provenance"]
    name = str(found.get("git_commit", ""))
    return f"{name} with uncommitted changes" if name and found.get("git_dirty") else name


def _entry(run: Run) -> Markup:
    method, status = run["config"]["method"], run["status"]
    head: list[object] = [element("b", method["label"]), f" seed {run['config']['seed']}"]
    if "splits" in run["config"]:  # Other tasks than extreme classification have none.
        head += [f", split {run['config']['splits'][0]}"]
    if status == "done":
        scores = list(_scores(run["metrics"]))
        head += [element("span", " · ".join([*scores, *_trained(run)]), class_="brief")]
    else:
        head += [" ", element("strong", status, class_="bad")]
    error = element("pre", run["error"], class_="error") if run["error"] else ""
    body = element(
        "div",
        error,
        definitions(_facts(run), class_="facts"),
        element(
            "details",
            element("summary", "Config"),
            element("pre", dump(run["config"])),
        ),
        id=anchor(run["run_id"]),
    )
    return element("details", element("summary", *head), body, class_="run", open=status != "done")


def _scores(metrics: Mapping[str, float]) -> Iterator[str]:
    """The metrics of a run in brief: P@k, or the first of another task."""
    shown = [name for name in ("P@1", "P@3", "P@5") if name in metrics] or list(metrics)[:3]
    return (f"{name} {shortened(metrics[name])}" for name in shown)


def _trained(run: Run) -> Iterator[str]:
    if "train" in run["seconds"]:
        yield f"trained in {run['seconds']['train']:.2f} s"


def _facts(run: Run) -> Iterator[tuple[str, object]]:
    method, found, sizes = run["config"]["method"], run["provenance"], run["sizes"]
    yield "run", run["run_id"]
    yield "ended", when(run)
    yield "preset", method.get("preset", "")
    yield "differs in", lines(f"{key} = {value}" for key, value in run["overrides"].items())
    yield "machine", machine(run)
    software = {key: value for key, value in found.items() if key not in _NOT_SOFTWARE and value}
    yield "software", ", ".join(f"{key} {value}" for key, value in software.items())
    yield "commit", commit(run)
    files = (f"{_relative(file, run)}, {_bytes(file.get('bytes'))}" for file in run["sources"])
    yield "data files", lines(files)
    yield (
        "SHA-256",
        lines(
            joined([f"{name} ", element("code", run[f"{name}_sha256"])])
            for name in ("data", "config", "predictions")
            if run.get(f"{name}_sha256")
        ),
    )
    yield (
        "processes",
        ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in run["execution"].items()),
    )
    yield "seconds", ", ".join(f"{key} {value:.2f}" for key, value in run["seconds"].items())
    yield "peak memory", _bytes(sizes.get("peak_rss_bytes"))
    yield "model size", _bytes(sizes.get("model_bytes"))
    yield (
        "metrics",
        lines(
            ", ".join(f"{name} {shortened(value)}" for name, value in metrics)
            for _, metrics in groupby(
                run["metrics"].items(), lambda item: item[0].partition("@")[0]
            )
        ),
    )


def _relative(file: Mapping[str, Any], run: Run) -> str:
    """A data file's path below the data root: where that lies is the machine's affair."""
    path = PurePath(str(file["path"]))
    root = run.get("data_root")
    return str(path.relative_to(root) if root and path.is_relative_to(root) else path.name)


def _bytes(count: Any) -> str:
    if not isinstance(count, (int, float)):
        return ""
    return f"{count / 1e9:.2f} GB" if count >= 1e9 else f"{count / 1e6:.2f} MB"
