"""What a server's answer is: the file, a passing trouble, or a refusal."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests

from xcbench.errors import DataError

TIMEOUT_S = (15, 60)  # to connect, and between two pieces of the body
_LONGEST_WAIT_S = 60.0
_PASSING = {408, 425, 429, 500, 502, 503, 504}
_HOPELESS = (
    requests.exceptions.SSLError, requests.exceptions.TooManyRedirects,
    requests.exceptions.InvalidSchema, requests.exceptions.InvalidURL,
)  # fmt: skip


class RefusedError(DataError):
    """An address does not give the file, and asking again would not help."""


class PassingError(Exception):
    """This try failed; the next may not.

    Attributes
    ----------
    wait_s : float
        How long the server asks to be left alone.
    """

    def __init__(self, reason: str, wait_s: float = 0.0) -> None:
        super().__init__(reason)
        self.wait_s = wait_s


def failure(error: requests.RequestException) -> PassingError | RefusedError:
    """What to make of an error of the connection."""
    kind = RefusedError if isinstance(error, _HOPELESS) else PassingError
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return kind("the connection was cut")
    if isinstance(error, requests.exceptions.Timeout):
        return kind("no answer in time")
    cause: Any = error
    while cause is not None:
        # The system's own words are deep inside; requests and urllib3 wrap them in their own.
        if isinstance(cause, OSError) and cause.strerror:
            host = urlsplit(str(error.request.url)).hostname if error.request else "the server"
            return kind(f"{host}: {cause.strerror}")
        inner = cause.args[0] if cause.args and isinstance(cause.args[0], Exception) else None
        cause = getattr(cause, "reason", None) or cause.__cause__ or inner
    return kind(str(error))


def require_success(response: requests.Response) -> None:
    """Let 200 and 206 pass.

    Raises
    ------
    PassingError
        For a status that asks for patience.
    RefusedError
        For any other, and where the body is packed on the way, so that its offsets are not the
        file's.
    """
    status = response.status_code
    if status in _PASSING:
        stated = response.headers.get("Retry-After", "")
        wait_s = min(float(stated), _LONGEST_WAIT_S) if stated.isdecimal() else 0.0
        raise PassingError(f"the server answers {status} {response.reason}", wait_s)
    if status not in (200, 206):
        raise RefusedError(f"the server answers {status} {response.reason}")
    if (packing := response.headers.get("Content-Encoding", "identity")) != "identity":
        raise RefusedError(f"the server sends the file packed ({packing}) though not asked to")


def is_web_page(response: requests.Response) -> bool:
    """Whether a page came in the place of a file."""
    return response.headers.get("Content-Type", "").lower().startswith("text/html")


def refused_page(text: str) -> RefusedError:
    """The refusal that a page is, with its title: it often says why."""
    title = re.search(r"<title[^>]*>\s*(.*?)\s*</title>", text, re.IGNORECASE | re.DOTALL)
    shown = f" ({title[1][:80]!r})" if title else ""
    return RefusedError(f"a web page came instead of the file{shown}")


def require_safe_redirect(response: requests.Response, **_: Any) -> None:
    """A hook for requests: what begins with https may not go on without it.

    Raises
    ------
    RefusedError
    """
    if response.is_redirect:
        require_as_safe(response.url, urljoin(response.url, response.headers["Location"]))


def require_as_safe(old: str, new: str) -> None:
    """Refuse to go from https to anything else, or anywhere but to the web."""
    before, after = urlsplit(old).scheme, urlsplit(new).scheme
    if after != "https" and (before == "https" or after != "http"):
        raise RefusedError(f"the server sends on to {new}; expected an https address")
