"""Where the files of a dataset are: from a config's dataset and a data root to paths."""

from __future__ import annotations

import difflib
import glob
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Literal

from xcbench.config.dataset import CorruptionConfig, DatasetConfig, HeldOutConfig
from xcbench.data.byte_lines import same_text
from xcbench.data.catalogue import CatalogueEntry, Layout, LayoutKind, catalogue, common_layouts
from xcbench.errors import DataError

_TEXT_SUFFIXES = ("", ".gz")


@dataclass(frozen=True)
class Sources:
    """The files one split of a dataset is read from.

    Attributes
    ----------
    name : str
        What a person calls the dataset; safe as a folder name.
    kind : str
        files, splits, pairs or npz as in the catalogue, or libsvm.
    files : tuple of Path
        In the order of the catalogue's layout.
    split : int
        Counted from 1; other than 1 only for kind splits.
    base : 0, 1 or None
        The number a libsvm file counts from.
    corrupted : CorruptionConfig or None
        Damage done to the training labels once they are read.
    held_out : HeldOutConfig or None
        Training rows that take the place of the test rows, before any damage.
    """

    name: str
    kind: LayoutKind | Literal["libsvm"]
    files: tuple[Path, ...]
    split: int = 1
    base: Literal[0, 1] | None = None
    corrupted: CorruptionConfig | None = None
    held_out: HeldOutConfig | None = None


def locate(config: DatasetConfig, data_root: Path, split: int = 1) -> Sources:
    """Find the files of a dataset.

    Parameters
    ----------
    config : DatasetConfig
        A name is a catalogue name or a folder under ``data_root``; the paths of ``train`` and
        ``test`` are taken as they are (relative ones from the working directory).
    data_root : Path
    split : int
        Counted from 1.

    Raises
    ------
    DataError
        Files are missing; the text says which were looked for, where, and where to get them. Or
        a text and its packed form are both there and differ.
    """
    try:
        located = _located(config, data_root, split)
        return replace(located, corrupted=config.corrupted, held_out=config.held_out)
    except OSError as error:  # a folder that may not be looked into, a name that is too long
        raise DataError(f"{error.filename}: cannot be read ({error.strerror})") from None


def _located(config: DatasetConfig, data_root: Path, split: int) -> Sources:
    if config.name is not None:
        sources = _named(config.name, config.title, data_root, split)
        for path in sources.files:
            _refuse_two_versions(path)
        return sources
    paths = (Path(str(config.train)), Path(str(config.test)))
    for path in paths:
        if not path.is_file():
            raise DataError(f"{path}: no such file (looked for it in {Path.cwd()})")
    if split != 1:
        raise DataError(f"{config.title} is a training and a test file: split {split} is not 1")
    if config.format == "libsvm":
        return Sources(config.title, "libsvm", paths, base=config.base)
    return Sources(config.title, "files", paths)


def _named(name: str, title: str, data_root: Path, split: int) -> Sources:
    if PurePath(name).is_absolute() or ".." in PurePath(name).parts:
        raise DataError(f"dataset name {name!r} leaves the data folder; give train and test paths")
    entry = catalogue().get(name)
    folders = [data_root / folder for folder in (entry.folders if entry else (name,))]
    layouts = entry.layouts if entry else common_layouts()
    found = [folder for folder in folders if folder.is_dir()]
    if entry is None and not found:
        raise DataError(_unknown(name, data_root))
    complete = [
        Sources(title, layout.kind, files, split)
        for folder in found
        for layout in layouts
        if (files := _files(folder, layout)) is not None
    ]
    if not complete:
        raise DataError(_missing(name, entry, found or folders[:1], layouts))
    if split == 1:
        return complete[0]
    with_splits = [sources for sources in complete if sources.kind == "splits"]
    if not with_splits:
        wanted = " or ".join(_names(layout) for layout in layouts if layout.kind == "splits")
        raise DataError(
            f"dataset {name!r} in {complete[0].files[0].parent} holds split 1 only; split {split} "
            f"needs {wanted}{_where_to_get(entry)}"
        )
    return with_splits[0]


def is_present(entry: CatalogueEntry, data_root: Path) -> bool:
    """Whether the files of a catalogue entry are in place."""
    return any(_holds(data_root / folder, entry.layouts) for folder in entry.folders)


def other_folders(data_root: Path) -> list[str]:
    """Folders under the data root that hold a dataset the catalogue does not know."""
    if not data_root.is_dir():
        return []
    known = {folder for entry in catalogue().values() for folder in entry.folders}
    layouts = common_layouts()
    return [
        folder.name
        for folder in sorted(data_root.iterdir())
        if folder.name not in known and folder.name[0] != "." and _holds(folder, layouts)
    ]


def _holds(folder: Path, layouts: tuple[Layout, ...]) -> bool:
    """Whether a folder holds a dataset; one that may not be looked into (lost+found) does not."""
    with suppress(OSError):
        return folder.is_dir() and any(_files(folder, layout) for layout in layouts)
    return False


def _files(folder: Path, layout: Layout) -> tuple[Path, ...] | None:
    """The layout's files in a folder, all of them or None."""
    present = sorted(path for path in folder.iterdir() if path.is_file())
    by_lower_name = {path.name.lower(): path for path in reversed(present)}
    exact = {path.name: path for path in present}
    suffixes = ("",) if layout.kind == "npz" else _TEXT_SUFFIXES
    files = []
    for name in layout.files:
        candidates = [name + suffix for suffix in suffixes]
        hits = [exact.get(c) or by_lower_name.get(c.lower()) for c in candidates]
        path = next((hit for hit in hits if hit is not None), None)
        if path is None:
            return None
        files.append(path)
    return tuple(files)


def _refuse_two_versions(path: Path) -> None:
    """Refuse to choose between a text and its packed form, unless they are the same."""
    packed = path.with_name(path.name + ".gz")
    if packed.is_file() and not same_text(path, packed):
        raise DataError(
            f"{path} and {packed.name} beside it hold different text; remove the one that is not "
            "meant"
        )


def _names(layout: Layout) -> str:
    return " + ".join(layout.files)


def _where_to_get(entry: CatalogueEntry | None) -> str:
    return f"; download: {entry.page}" if entry and entry.page else ""


def _missing(
    name: str, entry: CatalogueEntry | None, folders: list[Path], layouts: tuple[Layout, ...]
) -> str:
    places = " and ".join(str(folder) for folder in folders)
    wanted = "\n".join(f"  {_names(layout)}" for layout in layouts)
    how = f"\nDownload it from {entry.page} and unpack it there." if entry and entry.page else ""
    if entry and entry.downloads:
        how += f" `xcbench data fetch {name}` tries to do both."
    if entry is None and any(any(folder.glob("*.csv")) for folder in folders):
        how += (
            "\nIt holds tables (*.csv), which are data of other tasks: `xcbench help other-tasks`."
        )
    return (
        f"dataset {name!r} is not in place. Looked in {places} for one of (text also as .gz):\n"
        f"{wanted}{how}"
    )


def _relative_root(data_root: Path) -> str:
    """Where a relative data folder was looked for, which is not where the config lies."""
    if data_root.is_absolute():
        return ""
    missing = "" if data_root.is_dir() else ", which does not exist"
    return f" ({data_root.absolute()}{missing}; --data starts from the working folder)"


def _of_another_task(name: str, data_root: Path) -> str:
    """Where a name is data of another kind of task, a table or a mesh; else nothing."""
    stem = glob.escape(PurePath(name).name)
    for path in sorted(data_root.glob(f"*/{stem}.*")):
        own = f"{path.parent.name}/{path.name.split('.')[0]}"
        if path.suffix == ".csv":
            return f"; {own!r} is a table of classes, data of task metric_learning"
        if ".obj" in path.suffixes:
            tasks = "compressed_modes and functional_correspondence"
            return f"; {own!r} is a mesh, data of tasks {tasks}"
    return ""


def _unknown(name: str, data_root: Path) -> str:
    names = [*catalogue(), *other_folders(data_root)]
    close = difflib.get_close_matches(name.lower(), names, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else _of_another_task(name, data_root)
    hint = hint or "; `xcbench data list` shows the names"
    where = f"{data_root}{_relative_root(data_root)}"
    place = f"it is neither in the catalogue nor a folder in {where}"
    return f"unknown dataset {name!r}: {place}{hint}"
