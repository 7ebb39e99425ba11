"""A server with bad manners on 127.0.0.1, and a dataset that only it has."""

from __future__ import annotations

import hashlib
import io
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import xcbench.data.catalogue
from xcbench.data.fetch import download, drive

TEXTS = {
    "Toy_data.txt": "3 3 2\n0 0:1\n1 1:2\n0,1 2:3\n",
    "toy_trSplit.txt": "1 2\n2 3\n",
    "toy_tstSplit.txt": "3 1\n",
}
TOY = {
    "title": "Toy-2",
    "folders": ["Toy"],
    "layouts": [{"kind": "splits", "files": list(TEXTS)}],
    "n_train": 2,
    "n_test": 1,
    "n_features": 3,
    "n_labels": 2,
    "n_splits": 2,
    "source": "made up",
    "licence": "none",
    "page": "http://toy.example/page",
}


def zipped(files: dict[str, bytes | str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


TOY_ZIP = zipped({f"Toy/{name}": text for name, text in TEXTS.items()})


@dataclass
class Served:
    """What lies at one path; the answers to come, each used once, then well-behaved ones."""

    body: bytes
    etag: str | None = '"v1"'
    last_modified: str | None = None
    kind: str = "application/zip"
    answers: list[Callable[[BaseHTTPRequestHandler, Served], None]] = field(default_factory=list)


def send(handler, status, body, headers=(), length=None):
    """Send a body, stating another length if one is given."""
    handler.send_response(status)
    for name, value in headers:
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body) if length is None else length))
    handler.send_header("Connection", "close")
    handler.end_headers()
    handler.wfile.write(body)
    handler.close_connection = True


def version(served):
    headers = [("Content-Type", served.kind)]
    if served.etag:
        headers.append(("ETag", served.etag))
    if served.last_modified:
        headers.append(("Last-Modified", served.last_modified))
    return headers


def well_behaved(handler, served):
    wanted, condition = handler.headers.get("Range"), handler.headers.get("If-Range")
    if wanted is None or condition not in (None, served.etag, served.last_modified):
        send(handler, 200, served.body, version(served))
        return
    start, n = int(wanted.removeprefix("bytes=").removesuffix("-")), len(served.body)
    if start >= n:
        send(handler, 416, b"", [("Content-Range", f"bytes */{n}")])
        return
    rest = ("Content-Range", f"bytes {start}-{n - 1}/{n}")
    send(handler, 206, served.body[start:], [*version(served), rest])


class Server(ThreadingHTTPServer):
    """Serves ``files`` by path and logs (path, Range) of every request."""

    daemon_threads = True

    def __init__(self):
        self.files: dict[str, Served] = {}
        self.log: list[tuple[str, str | None]] = []
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.log.append((self.path, self.headers.get("Range")))
        served = self.server.files.get(self.path.split("?")[0])
        if served is None:
            send(self, 404, b"no such file")
        elif served.answers:
            served.answers.pop(0)(self, served)
        else:
            well_behaved(self, served)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield running
        running.shutdown()


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(download, "WAITS_S", (0.0, 0.0, 0.0))


@pytest.fixture
def google_is_here(monkeypatch):
    """Take the local server for Google Drive."""
    monkeypatch.setattr(drive, "HOSTS", {"127.0.0.1"})


@pytest.fixture
def meter():
    return lambda name, done, total: nullcontext(lambda count: None)


@pytest.fixture
def know(monkeypatch) -> Callable[..., None]:
    """Put the dataset ``toy`` into the catalogue, with the given downloads."""
    real = xcbench.data.catalogue._read()

    def put(*downloads: dict[str, str], **changes) -> None:
        entry = TOY | {"downloads": list(downloads)} | changes
        content = real | {"datasets": real["datasets"] | {"toy": entry}}
        monkeypatch.setattr(xcbench.data.catalogue, "_read", lambda: content)

    return put


@pytest.fixture
def toy(server, know) -> Served:
    """The dataset's archive on the server, with its checksum in the catalogue."""
    served = server.files["/Toy.zip"] = Served(TOY_ZIP)
    digest = hashlib.sha256(TOY_ZIP).hexdigest()
    know({"url": f"{server.url}/Toy.zip", "archive": "Toy.zip", "checksum": f"sha256:{digest}"})
    return served
