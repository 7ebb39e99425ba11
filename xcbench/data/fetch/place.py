"""From an unpacked archive to the dataset's folder: found, checked, noted, renamed into place."""

from __future__ import annotations

import json
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from xcbench.config.dataset import DatasetConfig
from xcbench.data.catalogue import CatalogueEntry
from xcbench.data.digests import file_sha256
from xcbench.data.fetch.sizes import require_sizes
from xcbench.data.sources import Sources, is_present, locate
from xcbench.errors import DataError

NOTE = "fetched.json"
_SHOWN = 12


def in_place(entry: CatalogueEntry, data_root: Path) -> Sources | None:
    """The dataset's files if they are there, in any of the folders it may have.

    Raises
    ------
    DataError
        They are there, and are not what the catalogue or the note of the fetch says.
    """
    if not is_present(entry, data_root):
        return None
    sources = locate(DatasetConfig(name=entry.name), data_root)
    folder = sources.files[0].parent
    try:
        require_sizes(entry, sources)
        _require_noted_bytes(folder)
    except DataError as error:
        raise DataError(
            f"{error}\n{entry.name} is in place but not whole, or another dataset; `xcbench data "
            f"fetch {entry.name} --force` gets it anew into {data_root / entry.name}"
        ) from None
    return sources


def _require_noted_bytes(folder: Path) -> None:
    try:
        files = json.loads((folder / NOTE).read_text(encoding="utf-8"))["files"]
        noted = {folder / file["name"]: file["bytes"] for file in files}
    except (OSError, ValueError, KeyError, TypeError):
        return  # put there by hand
    for path, expected in noted.items():
        found = path.stat().st_size if path.is_file() else 0
        if found != expected:
            raise DataError(f"{path}: found {found} bytes; {NOTE} says {expected}")


def require_room(entry: CatalogueEntry, data_root: Path) -> None:
    """Refuse to fetch over files somebody else has put into the dataset's folder.

    Raises
    ------
    DataError
    """
    folder = data_root / entry.name
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    if names:
        raise DataError(
            f"{folder} holds other files ({_listed(names)}) but not the dataset; move them away, "
            "or say --force to have the folder replaced"
        )


def dataset_folder(entry: CatalogueEntry, unpacked: Path, archive: Path) -> Path:
    """The folder below ``unpacked`` that holds the files of one of the entry's layouts.

    Files that lie scattered over several folders are brought together.

    Raises
    ------
    DataError
        There is none, or more than one.
    """
    paths = sorted(unpacked.rglob("*"))
    folders = [unpacked, *(path for path in paths if path.is_dir())]
    names = [str(path.relative_to(unpacked)) for path in paths if path.is_file()]
    complete = [folder for folder in folders if _holds(entry, folder)]
    if not complete and _gather(unpacked) and _holds(entry, unpacked):
        complete = [unpacked]
    if len(complete) == 1:
        return complete[0]
    if complete:
        shown = _listed([str(folder.relative_to(unpacked)) for folder in complete])
        raise DataError(f"{archive}: holds {entry.name} more than once, in {shown}")
    wanted = "\n".join(f"  {' + '.join(layout.files)}" for layout in entry.layouts)
    raise DataError(
        f"{archive}: found {_listed(names)}; expected the files of {entry.name}, one of\n{wanted}"
    )


def _holds(entry: CatalogueEntry, folder: Path) -> bool:
    return is_present(entry.model_copy(update={"folders": (folder.name,)}), folder.parent)


def _gather(unpacked: Path) -> bool:
    """Bring all files to the top, if no two have the same name."""
    files = [path for path in unpacked.rglob("*") if path.is_file()]
    names = [path.name.lower() for path in files]
    above = {path.name.lower() for path in unpacked.iterdir() if path.is_dir()}
    if len(set(names)) < len(names) or above & set(names):
        return False
    for path in files:
        path.rename(unpacked / path.name)
    return True


def check(entry: CatalogueEntry, folder: Path, stage: Path, archive: Path) -> Path:
    """Stage the folder under the dataset's name and compare its files with the catalogue.

    Returns
    -------
    Path
        The staged folder.

    Raises
    ------
    DataError
        A file states other counts than the catalogue.
    """
    staged = stage / entry.name
    stage.mkdir()
    folder.rename(staged)
    try:
        require_sizes(entry, locate(DatasetConfig(name=entry.name), stage))
    except DataError as error:
        within = str(error).replace(f"{staged}{os.sep}", "")
        raise DataError(f"{archive}: not {entry.title}: {within}") from None
    return staged


def note(staged: Path, origin: dict[str, Any]) -> None:
    """Write where the files come from and their digests, to compare with another machine's.

    Raises
    ------
    DataError
        The archive has a file of the note's name.
    """
    files = sorted(path for path in staged.rglob("*") if path.is_file())
    if any(path.name.lower() == NOTE for path in staged.iterdir()):
        raise DataError(f"the archive holds a file {NOTE}, which is the name of xcbench's own note")
    content = origin | {
        "fetched": datetime.now(UTC).isoformat(timespec="seconds"),
        "files": [
            {
                "name": str(path.relative_to(staged)),
                "bytes": path.stat().st_size,
                "sha256": file_sha256(path),
            }
            for path in files
        ],
    }
    with (staged / NOTE).open("w", encoding="utf-8") as stream:
        json.dump(content, stream, indent=1)
        stream.flush()
        os.fsync(stream.fileno())


def put_in_place(staged: Path, target: Path, aside: Path) -> None:
    """Rename the staged folder to its place; what was there goes aside and then away."""
    if target.exists() or target.is_symlink():
        target.rename(aside)
    staged.rename(target)
    if aside.is_symlink():
        aside.unlink()
    shutil.rmtree(aside, ignore_errors=True)


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more if names else "nothing"
