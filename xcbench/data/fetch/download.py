"""One file over http: begun anew or gone on with after a cut, tried again after passing errors.

A part is only gone on with when the server confirms that it still has the same file; when it does
not, states no version, or sends the whole instead of the rest, the download starts over.
"""

from __future__ import annotations

import logging
import re
import time
from pathlib import Path

import requests

from xcbench.data.fetch.answers import (
    TIMEOUT_S,
    PassingError,
    RefusedError,
    failure,
    is_web_page,
    refused_page,
    require_safe_redirect,
    require_success,
)
from xcbench.data.fetch.drive import direct_address, is_drive
from xcbench.data.fetch.part import Part, Version
from xcbench.data.fetch.progress import Meter

logger = logging.getLogger(__name__)

WAITS_S = (1.0, 2.0, 4.0)  # after tries that bring nothing new; then the address is given up
_CHUNK = 1 << 17  # what a cut may lose


def download(url: str, target: Path, meter: Meter) -> None:
    """Have a file, whole, at ``target``; a part of it stays for the next call if this one fails.

    Raises
    ------
    RefusedError
        The address gives something else, or fails again and again without a new byte.
    OSError
        The folder of ``target`` cannot be written, or the disk is full.
    """
    part = Part(target, url)
    failures = 0
    with requests.Session() as session:
        # A file packed on the way would have other offsets than the file itself.
        session.headers["Accept-Encoding"] = "identity"
        session.hooks["response"].append(require_safe_redirect)
        while not part.is_whole:
            farthest = part.farthest
            try:
                _try(session, url, part, meter)
                break
            except PassingError as error:
                failures = 1 if part.farthest > farthest else failures + 1
                if failures > len(WAITS_S):
                    raise RefusedError(f"{error} ({failures} tries)") from None
                wait_s = max(error.wait_s, WAITS_S[failures - 1])
                logger.info("%s: %s; next try in %.0f s", target.name, error, wait_s)
            time.sleep(wait_s)
    part.finish()


def _try(session: requests.Session, url: str, part: Part, meter: Meter) -> None:
    version = part.version
    offset, headers = 0, {}
    if version and version.validator and part.size:
        offset = part.size
        headers = {"Range": f"bytes={offset}-", "If-Range": version.validator}
    try:
        address = direct_address(session, url) if is_drive(url) else url
        with session.get(address, headers=headers, stream=True, timeout=TIMEOUT_S) as response:
            _take_up(response, url, part, offset)
            _receive(response, part, meter)
    except requests.RequestException as error:
        raise failure(error) from None


def _take_up(response: requests.Response, url: str, part: Part, offset: int) -> None:
    """Decide from the answer's head whether its body is the rest of the part or a whole file."""
    if response.status_code == 416 and offset:
        part.discard()
        raise PassingError("the file has become shorter on the server; starting over")
    require_success(response)
    if is_web_page(response):
        raise refused_page(next(response.iter_content(1 << 16), b"").decode(errors="replace"))
    if response.status_code == 200:
        length = response.headers.get("Content-Length", "")
        part.begin(Version(url, _validator(response), int(length) if length.isdecimal() else None))
    elif not _continues(response, part, offset):
        part.discard()
        raise PassingError("the file has changed on the server; starting over")


def _continues(response: requests.Response, part: Part, offset: int) -> bool:
    stated = re.fullmatch(
        r"bytes (\d+)-\d+/(\d+|\*)", response.headers.get("Content-Range", "").strip()
    )
    if stated is None or part.version is None or int(stated[1]) != offset:
        return False
    total, validator = part.version.total, _validator(response)
    is_as_long = total is None or stated[2] in ("*", str(total))
    return is_as_long and validator in (None, part.version.validator)


def _validator(response: requests.Response) -> str | None:
    tag = response.headers.get("ETag")
    # A weak tag stands for files that mean the same, not for the same bytes.
    return tag if tag and not tag.startswith("W/") else response.headers.get("Last-Modified")


def _receive(response: requests.Response, part: Part, meter: Meter) -> None:
    total = part.version.total if part.version else None
    with meter(part.target.name, part.size, total) as advance, part.open() as stream:
        for chunk in response.iter_content(_CHUNK):
            stream.write(chunk)
            advance(len(chunk))
    if total is not None and part.size != total:
        found = part.size
        if found > total:
            part.discard()
        raise PassingError(f"{found} of {total} bytes came")
