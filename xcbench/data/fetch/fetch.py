"""Fetch a dataset of the catalogue: from its addresses in turn, or from a file got by hand.

All work is done in ``DATA/.fetch/NAME`` under a lock: there lie what has arrived of a download, for
the next fetch to go on with, and what is being unpacked. The dataset's folder appears by a rename.
After a success only the empty lock file is left.
"""

from __future__ import annotations

import hashlib
import logging
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from xcbench.config.dataset import DatasetConfig
from xcbench.data.catalogue import CatalogueEntry, Download, catalogue
from xcbench.data.digests import file_sha256
from xcbench.data.fetch import place
from xcbench.data.fetch.extract import extract
from xcbench.data.fetch.progress import Meter
from xcbench.data.sources import Sources, locate
from xcbench.errors import ConfigError, DataError

logger = logging.getLogger(__name__)

_UNPACKED, _STAGE, _REPLACED = "unpacked", "stage", "replaced"


@dataclass(frozen=True)
class Fetched:
    """A dataset that is in place.

    Attributes
    ----------
    sources : Sources
        Its files.
    is_new : bool
        Whether this fetch put it there.
    """

    sources: Sources
    is_new: bool


def fetch(
    name: str, data_root: Path, meter: Meter, archive: Path | None = None, force: bool = False
) -> Fetched:
    """Have a dataset in place.

    Parameters
    ----------
    name : str
        As in the catalogue.
    data_root : Path
    meter : callable
        Shows how far a download is; see ``progress``.
    archive : Path, optional
        A file got by hand, instead of a download. One that lies in ``data_root`` by the name the
        catalogue gives it is found without being named.
    force : bool
        Get it even if it is in place, and replace the folder ``data_root/name``.

    Raises
    ------
    DataError
        It cannot be had, is not what the catalogue describes, or ``data_root`` cannot be written.
    ConfigError
        It must be downloaded and the libraries for that are not installed.
    """
    entry = catalogue().get(name)
    if entry is None and archive is not None:
        raise DataError(f"{name!r} is not in the catalogue; unpack {archive} yourself")
    if entry is None:
        return Fetched(locate(DatasetConfig(name=name), data_root), is_new=False)
    work = data_root / ".fetch" / name
    if not (force or work.exists()) and (sources := place.in_place(entry, data_root)):
        return Fetched(sources, is_new=False)
    with _writable(data_root), _held(work):
        if not force:
            # Another process got it meanwhile, or was killed just after.
            if sources := place.in_place(entry, data_root):
                shutil.rmtree(work)
                return Fetched(sources, is_new=False)
            place.require_room(entry, data_root)
        job = _Job(entry, data_root, work, meter)
        _begin(job)
        try:
            _get(job, archive)
        except (DataError, OSError):
            _give_up(job)
            raise
        shutil.rmtree(work)
    return Fetched(locate(DatasetConfig(name=name), data_root), is_new=True)


@dataclass(frozen=True)
class _Job:
    """One dataset to fetch: which, to where, and the folder to work in."""

    entry: CatalogueEntry
    data_root: Path
    work: Path
    meter: Meter


@contextmanager
def _writable(data_root: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DataError(
            f"cannot write to {data_root} ({error.strerror or error}); make room or give another "
            "folder with --data. What has arrived is kept."
        ) from error


@contextmanager
def _held(work: Path) -> Iterator[None]:
    """Have the folder to work in, for one process at a time."""
    work.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(work.with_name(f"{work.name}.lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        logger.info("%s: another process is fetching it; waiting", work.name)
        lock.acquire()
    try:
        work.mkdir(exist_ok=True)
        yield
    finally:
        lock.release()


def _begin(job: _Job) -> None:
    """Remove what an earlier fetch left, but for what has arrived."""
    if (job.data_root / job.entry.name).exists():
        shutil.rmtree(job.work / _REPLACED, ignore_errors=True)
    for rejected in job.work.glob("*/*.rejected"):
        rejected.unlink()


def _give_up(job: _Job) -> None:
    """Keep what has arrived, and put back what was to be replaced."""
    target, aside = job.data_root / job.entry.name, job.work / _REPLACED
    if aside.exists() and not target.exists():
        aside.rename(target)
    for name in (_UNPACKED, _STAGE):
        shutil.rmtree(job.work / name, ignore_errors=True)
    for folder in (*job.work.iterdir(), job.work):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def _get(job: _Job, archive: Path | None) -> None:
    if archive is not None:
        if not archive.is_file():
            raise DataError(f"{archive}: no such file")
        _install(job, archive, None)
    elif (found := _by_hand(job)) is not None:
        try:
            _install(job, found, None)
        except DataError as error:
            raise DataError(f"{error}\nRemove {found} to have it downloaded.") from None
    else:
        _download_from_first(job)


def _download_from_first(job: _Job) -> None:
    """Take the first address that gives the dataset."""
    refusals: list[str] = []
    for download in job.entry.downloads:
        try:
            _download_and_install(job, download)
            return
        except DataError as error:
            logger.info("%s: not from %s: %s", job.entry.name, download.url, error)
            refusals.append(f"  {download.url}\n    {error}")
    raise DataError(_how_by_hand(job, refusals) if refusals else _no_address(job))


def _by_hand(job: _Job) -> Path | None:
    names = dict.fromkeys(download.archive for download in job.entry.downloads)
    found = [job.data_root / name for name in names if (job.data_root / name).is_file()]
    return found[0] if found else None


def _download_and_install(job: _Job, source: Download) -> None:
    try:
        from xcbench.data.fetch.download import download
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"a download needs {error.name}: pip install 'xcbench[fetch]', or get the file by hand "
            f"and say --from FILE; `xcbench data info {job.entry.name}` says where from"
        ) from None
    key = hashlib.sha256(source.url.encode()).hexdigest()[:8]
    archive = job.work / key / source.archive
    if not archive.is_file():
        archive.parent.mkdir(exist_ok=True)
        logger.info("%s: downloading %s", job.entry.name, source.url)
        download(source.url, archive, job.meter)
    try:
        _install(job, archive, source)
    except DataError as error:
        rejected = archive.with_name(f"{archive.name}.rejected")
        archive.replace(rejected)
        raise DataError(f"{error}\n    (kept until the next fetch as {rejected})") from None


def _install(job: _Job, archive: Path, source: Download | None) -> None:
    """Check, unpack, check again, and put in place."""
    name = job.entry.name
    if source is not None:
        _require_checksum(name, archive, source)
    else:
        _compare_checksum(job.entry, archive)
    logger.info("%s: unpacking %s", name, archive)
    unpacked, stage = job.work / _UNPACKED, job.work / _STAGE
    for folder in (unpacked, stage):
        shutil.rmtree(folder, ignore_errors=True)
    unpacked.mkdir()
    extract(archive, unpacked)
    staged = place.check(
        job.entry, place.dataset_folder(job.entry, unpacked, archive), stage, archive
    )
    origin = {
        "dataset": name,
        "address": source.url if source else None,
        "archive": source.archive if source else archive.name,
        "bytes": archive.stat().st_size,
        "sha256": file_sha256(archive),
        "checksum": source.checksum if source else None,
    }
    place.note(staged, origin)
    place.put_in_place(staged, job.data_root / name, job.work / _REPLACED)


def _compare_checksum(entry: CatalogueEntry, archive: Path) -> None:
    """Warn of a file got by hand that is not the published one; a mirror's may differ."""
    published = [d for d in entry.downloads if d.archive == archive.name and d.checksum]
    for source in published:
        try:
            _require_checksum(entry.name, archive, source)
        except DataError as error:
            logger.warning("%s; it is taken if the sizes in its files' headers are right", error)


def _require_checksum(name: str, archive: Path, source: Download) -> None:
    if source.checksum is None:
        logger.info(
            "%s: no checksum is published for this address; the sizes in the files' headers are "
            "checked, and the sha256 is noted in %s", name, place.NOTE,
        )  # fmt: skip
        return
    algorithm, expected = source.checksum.split(":")
    with archive.open("rb") as stream:
        digest = hashlib.file_digest(stream, lambda: hashlib.new(algorithm, usedforsecurity=False))
    if digest.hexdigest() != expected:
        raise DataError(
            f"{archive}: found {algorithm} {digest.hexdigest()}; expected {expected}, as published"
        )


def _how_by_hand(job: _Job, refusals: list[str]) -> str:
    entry, tried = job.entry, "\n".join(refusals)
    page = f" or by way of {entry.page}" if entry.page else ""
    return (
        f"{entry.name} could not be downloaded:\n{tried}\n"
        f"Get the archive in a browser, from one of these addresses{page}, and save it as\n"
        f"  {job.data_root / entry.downloads[0].archive}\n"
        f"Then run `xcbench data fetch {entry.name} --data {job.data_root}` again, or name the "
        "file with --from FILE."
    )


def _no_address(job: _Job) -> str:
    entry = job.entry
    wanted = "\n".join(f"  {' + '.join(layout.files)}" for layout in entry.layouts)
    return (
        f"{entry.name}: no address of its files in XC format is known. Source: {entry.source}. "
        f"Put one of these sets of files into {job.data_root / entry.name}:\n{wanted}"
    )
