"""A headless Chromium to look at pages with, driven by the DevTools protocol over two pipes."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
from base64 import b64decode
from itertools import count
from pathlib import Path
from select import select
from time import monotonic

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE_S = 60
_KEYS = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
         "ArrowDown": 40}  # fmt: skip


def executable() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """One tab. What it complains of is in ``complaints``, what it asks for in ``requests``."""

    def __init__(self, program: str, home: Path) -> None:
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()

        def connect() -> None:  # Chromium reads commands from 3 and writes answers to 4.
            reading, writing = (fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (to_read, to_write))
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        options = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                   "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
                   "--disable-background-networking", "--remote-debugging-pipe",
                   f"--user-data-dir={home}")  # fmt: skip
        self._process = subprocess.Popen(
            [program, *options, "about:blank"], close_fds=False, preexec_fn=connect,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(to_read)
        os.close(to_write)
        self._rest, self._numbers, self._session = b"", count(1), None
        self.events: list[dict] = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")
        self.ask("Page.setLifecycleEventsEnabled", enabled=True)

    def close(self) -> None:
        os.close(self._write)
        self._process.terminate()
        self._process.wait()
        os.close(self._read)

    def ask(self, method: str, **parameters: object) -> dict:
        """Send a command and wait for its answer; events met meanwhile are kept."""
        number = next(self._numbers)
        session = {"sessionId": self._session} if self._session else {}
        message = {"id": number, "method": method, "params": parameters} | session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def _next(self) -> dict:
        deadline = monotonic() + PATIENCE_S
        while b"\0" not in self._rest:
            if not select([self._read], [], [], max(0, deadline - monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            piece = os.read(self._read, 1 << 16)
            if not piece:
                raise RuntimeError("the browser has ended")
            self._rest += piece
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)

    def open(self, path: Path, width: int = 1280, height: int = 800, **media: str) -> None:
        """Show a file, on a screen of this width, and wait until it is there.

        ``media`` are media features, as in ``prefers_color_scheme="dark"``, and ``media="print"``;
        ``script="off"`` runs none.
        """
        self.ask("Emulation.setScriptExecutionDisabled", value=media.pop("script", "") == "off")
        media_type = media.pop("media", "")
        features = [{"name": k.replace("_", "-"), "value": v} for k, v in media.items()]
        self.ask("Emulation.setEmulatedMedia", media=media_type, features=features)
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 500,
        )  # fmt: skip
        self.events.clear()
        loader = self.ask("Page.navigate", url=path.as_uri())["loaderId"]
        while not any(self._is_load(event, loader) for event in self.events):
            self.events.append(self._next())

    @staticmethod
    def _is_load(event: dict, loader: str) -> bool:
        found = event.get("params", {})
        return found.get("loaderId") == loader and found.get("name") == "load"

    def run(self, expression: str) -> object:
        """What a JavaScript expression comes to in the page; a promise is waited for."""
        found = self.ask(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in found:
            raise RuntimeError(found["exceptionDetails"]["exception"]["description"])
        return found["result"].get("value")

    def press(self, key: str) -> None:
        """A key of the keyboard, down and up."""
        code = {"key": key, "code": key, "windowsVirtualKeyCode": _KEYS[key]}
        text = {"text": "\r"} if key == "Enter" else {}
        self.ask("Input.dispatchKeyEvent", type="keyDown", **code, **text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **code)

    def picture(self, path: Path, whole: bool = False) -> None:
        """A PNG of the window, or of the whole page."""
        taken = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(b64decode(taken["data"]))

    @property
    def complaints(self) -> list[str]:
        """Console messages, log entries (refused loads among them) and uncaught exceptions."""
        kinds = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        return [json.dumps(e["params"]) for e in self.events if e.get("method") in kinds]

    @property
    def requests(self) -> list[str]:
        """The address of everything that was asked for."""
        sent = (e for e in self.events if e.get("method") == "Network.requestWillBeSent")
        return [event["params"]["request"]["url"] for event in sent]
