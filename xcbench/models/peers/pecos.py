"""PECOS XR-Linear, run by a Python of its own: its library needs a numpy older than ours."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy import sparse

from xcbench.config.peers import PecosSettings
from xcbench.data.dataset import Dataset
from xcbench.errors import XCBenchError
from xcbench.models.peers.base import PeerModel
from xcbench.models.peers.installed import pecos_python

WORKER = Path(__file__).with_name("pecos_worker.py")
_LINES_SHOWN = 3


class Pecos(PeerModel):
    """An XR-Linear model of PECOS, as its commands train and predict it.

    The seed is that of its clustering.

    Data, model and predictions pass through files. The worker holds the clock: training is label
    embedding, clustering and the rankers; prediction is its call on all rows, model and rows in
    memory.
    """

    settings_type = PecosSettings

    def _train(self, train: Dataset, scratch: Path) -> float:
        sparse.save_npz(scratch / "X.npz", sparse.csr_matrix(train.X), compressed=False)
        sparse.save_npz(scratch / "Y.npz", sparse.csr_matrix(train.Y), compressed=False)
        return self._run("train", scratch)

    def _open(self) -> Any:
        return self._files  # Each call of the worker opens it, before its clock starts.

    def _predict(self, X: sparse.csr_array, k: int) -> tuple[np.ndarray, np.ndarray, float]:
        with TemporaryDirectory(prefix="xcbench-", ignore_cleanup_errors=True) as folder:
            exchange = Path(folder)
            sparse.save_npz(exchange / "X.npz", sparse.csr_matrix(X), compressed=False)
            seconds = self._run("predict", exchange, k=k)
            labels, scores = (np.load(exchange / name) for name in ("labels.npy", "scores.npy"))
        return labels, scores, seconds

    def _run(self, action: str, exchange: Path, **more: int) -> float:
        """Call the worker, and return the seconds it states."""
        options = self.settings.model_dump(exclude={"model"})
        # Its seeds are signed and of 32 bits.
        options |= {"seed": self.seed % 2**31, "threads": self.threads} | more
        job = {"action": action, "model": str(self._files.absolute()), "options": options}
        (exchange / "job.json").write_text(json.dumps(job), encoding="utf-8")
        ours, its = (
            os.pipe()
        )  # While this process lives its end stays open; the worker waits on it.
        try:
            done = subprocess.run(
                [pecos_python(), "-I", str(WORKER), str(exchange)],
                stdin=ours, capture_output=True, text=True, check=False,
                env=os.environ | {"OMP_NUM_THREADS": str(self.threads)},
            )  # fmt: skip
        finally:
            os.close(ours)
            os.close(its)
        if done.returncode:
            last = " | ".join(done.stderr.strip().splitlines()[-_LINES_SHOWN:])
            raise XCBenchError(f"PECOS ended with code {done.returncode}: {last}")
        result = json.loads((exchange / "result.json").read_text(encoding="utf-8"))
        self.version = result["version"]
        return float(result["seconds"])
