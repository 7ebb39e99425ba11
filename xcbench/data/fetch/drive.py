"""Google Drive: large files come after a page that asks whether one is sure."""

from __future__ import annotations

from urllib.parse import urlsplit

import requests
from gdown.download import get_url_from_gdrive_confirmation
from gdown.exceptions import FileURLRetrievalError

from xcbench.data.fetch.answers import (
    TIMEOUT_S,
    RefusedError,
    is_web_page,
    refused_page,
    require_as_safe,
    require_success,
)

HOSTS = {"drive.google.com", "docs.google.com", "drive.usercontent.google.com"}


def is_drive(url: str) -> bool:
    """Whether an address is on Google Drive."""
    return urlsplit(url).hostname in HOSTS


def direct_address(session: requests.Session, url: str) -> str:
    """The address the bytes come from: ``url``, or what its page of confirmation leads to.

    gdown reads the page; its own download drops the resource key old links need, does not begin
    anew when a server ignores Range, and cannot tell a changed file from an older process's part.

    Raises
    ------
    RefusedError
        The page leads nowhere: too many downloads of the day, no permission, no such file.
    PassingError
        The server asks for patience.
    """
    with session.get(url, stream=True, timeout=TIMEOUT_S) as response:
        require_success(response)
        if not is_web_page(response):
            return url
        page = response.text
        here = response.url
    try:
        address = get_url_from_gdrive_confirmation(page)
    except (FileURLRetrievalError, KeyError, AssertionError):
        raise refused_page(page) from None
    require_as_safe(here, address)
    if not is_drive(address):
        raise RefusedError(f"the page of confirmation leads to {address}; expected Google Drive")
    return address
