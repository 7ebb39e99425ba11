"""The paths that ``predict`` is given: in the right order, and none replaced by mistake."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, get_args

from xcbench.errors import ConfigError

PredictionForm = Literal["tsv", "jsonl", "npz"]

_FORMS: tuple[PredictionForm, ...] = get_args(PredictionForm)
_MANIFEST = "xcbench-model.json"  # as in inference.manifest, which loads much


def is_model(path: Path) -> bool:
    """Whether a path is a folder that ``fit`` made, by its look."""
    return (path / _MANIFEST).is_file()


def require_in_order(model: Path, source: Path) -> None:
    """Tell MODEL and INPUT that changed places.

    Raises
    ------
    ConfigError
        The second is a model, and the first is none.
    """
    if is_model(source) and not is_model(model):
        raise ConfigError(
            f"{source} is the model and comes first: xcbench predict {source} {model}"
        )


def form_by_ending(out: Path | None) -> PredictionForm:
    """The form that the ending of a file tells; tsv for a name without one and the terminal.

    Raises
    ------
    ConfigError
        The ending tells another form than those there are.
    """
    if out is None or (out.exists() and not out.is_file()):  # a device or a pipe
        return "tsv"
    ending = out.suffix.lower().removeprefix(".")
    for form in _FORMS:
        if ending == form:
            return form
    if ending:
        raise ConfigError(
            f"{out}: {out.suffix!r} is no ending of predictions; expected .tsv, .jsonl or .npz, or "
            "say with --format what to write there"
        )
    return "tsv"


def require_writable(out: Path, source: Path, model: Path, force: bool) -> None:
    """Refuse an output that would be no file, or would take the place of one.

    Parameters
    ----------
    out, source, model : Path
        ``source`` is ``-`` for the standard input.
    force : bool
        Whether a file that is there may be replaced; the input may not be.

    Raises
    ------
    ConfigError
    """
    if out.is_dir():
        raise ConfigError(f"{out} is a folder; expected a file to write to")
    if is_model(model) and model.resolve() in out.resolve().parents:
        raise ConfigError(
            f"{out} lies in the model's folder, which holds nothing else; take another place"
        )
    if not out.is_file():  # nothing, a device or a pipe
        return
    if _is_same(out, source):
        raise ConfigError(f"{out} is the input; take another name for --out")
    if not force:
        raise ConfigError(f"{out} is there already; take another name, or replace it with --force")


def _is_same(out: Path, source: Path) -> bool:
    """Links and what the standard input was opened from are seen through."""
    try:
        read = os.fstat(0) if str(source) == "-" else source.stat()
    except OSError:  # which reading will tell
        return False
    return os.path.samestat(out.stat(), read)
