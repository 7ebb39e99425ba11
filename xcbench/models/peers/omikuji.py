"""omikuji: partitioned label trees in the manner of Parabel and Bonsai, compiled from Rust."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from scipy import sparse

from xcbench.config.peers import OmikujiSettings
from xcbench.data.dataset import Dataset
from xcbench.data.xc_text import write_xc
from xcbench.models.peers.base import PeerModel
from xcbench.models.peers.interruptible import interruptible

_NOT_ITS_OWN = {"model", "linear_loss", "beam_size", "max_sparse_density"}
_PIECES = 16  # of the rows for each thread, so that none waits long for the others


class Omikuji(PeerModel):
    """A forest of omikuji.

    It takes no seed and is not reproducible: two fits differ by up to a point of P@1 on small data.

    The training time is that of its training call: writing our data as a text file, its reading
    and the saving of the model are left out. Its Python interface predicts one row a call, and
    tries the trees side by side; here as many rows as there are threads are predicted side by
    side, each by one thread, which is how its command line does it. The prediction time is that of
    all these calls, with the model and the rows in memory.
    """

    settings_type = OmikujiSettings

    def _train(self, train: Dataset, scratch: Path) -> float:
        import omikuji

        self.version = version("omikuji")
        text = scratch / "train.txt"
        write_xc(text, train.X, train.Y)
        # train_on_data reads and trains in one call: its two halves are called here one by one
        lib, ffi = omikuji.lib, omikuji.ffi
        pool = omikuji._ThreadPoolHandle(self.threads, initialize=True)
        loaded = lib.load_omikuji_data_set(ffi.new("char[]", str(text).encode()), pool.ptr)
        if loaded == ffi.NULL:
            raise RuntimeError("omikuji could not read the training data")
        data = ffi.gc(loaded, lib.free_omikuji_data_set)
        text.unlink()
        parameters = self._parameters()
        start = perf_counter()
        trained = interruptible(lambda: lib.train_omikuji_model(data, parameters, pool.ptr))
        seconds = perf_counter() - start
        if trained == ffi.NULL:
            raise RuntimeError("omikuji could not train a model")
        omikuji.Model(trained, pool).save(str(self._files))
        return seconds

    def _parameters(self) -> Any:
        import omikuji

        parameters = omikuji.Model.default_hyper_param()
        for name, value in self.settings.model_dump(exclude=_NOT_ITS_OWN).items():
            setattr(parameters, name, value)
        losses = {"hinge": omikuji.LossType.HINGE, "log": omikuji.LossType.LOG}
        parameters.linear_loss_type = losses[self.settings.linear_loss].value
        return parameters

    def _open(self) -> Any:
        import omikuji

        model = omikuji.Model.load(str(self._files))
        model.densify_weights(self.settings.max_sparse_density, self.threads)
        return model

    def _predict(self, X: sparse.csr_array, k: int) -> tuple[np.ndarray, np.ndarray, float]:
        n = X.shape[0]
        labels, scores = np.full((n, k), -1, np.int32), np.full((n, k), -np.inf, np.float32)
        rows = X.indptr.tolist(), X.indices.astype(np.uint32), X.data.astype(np.float32)
        bounds = np.linspace(0, n, self.threads * _PIECES + 1).astype(int).tolist()

        def piece(first: int, last: int) -> None:
            self._predict_rows(rows, first, last, labels, scores)

        start = perf_counter()
        with ThreadPoolExecutor(self.threads) as threads:
            list(threads.map(piece, bounds[:-1], bounds[1:]))
        return labels, scores, perf_counter() - start

    def _predict_rows(
        self,
        rows: tuple[Sequence[int], np.ndarray, np.ndarray],
        first: int,
        last: int,
        labels: np.ndarray,
        scores: np.ndarray,
    ) -> None:
        """One thread's rows, written into labels and scores; the interpreter's lock is free."""
        import omikuji

        ffi, predict, model = omikuji.ffi, omikuji.lib.omikuji_predict, self._opened._model_ptr
        indptr, indices, values = rows
        features, weights = _pointer(ffi, "uint32_t", indices), _pointer(ffi, "float", values)
        ids, best = _pointer(ffi, "uint32_t", labels), _pointer(ffi, "float", scores)
        pool = omikuji._ThreadPoolHandle(1, initialize=True)
        beam, k = self.settings.beam_size, labels.shape[1]
        for i in range(first, last):
            at = indptr[i]
            predict(
                model, beam, indptr[i + 1] - at, features + at, weights + at,
                k, ids + i * k, best + i * k, pool.ptr,
            )  # fmt: skip


def _pointer(ffi: Any, kind: str, array: np.ndarray) -> Any:
    """Where a contiguous array starts; valid as long as the array is."""
    return ffi.cast(f"{kind} *", array.ctypes.data)
