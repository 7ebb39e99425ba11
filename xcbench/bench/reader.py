"""The reader against scikit-learn's on one XC text file."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from xcbench.bench.timing import Row, median_seconds
from xcbench.data.xc_text import read_xc

MEGABYTES = 50
N_FEATURES, N_LABELS, FEATURES_PER_ROW = 50_000, 4_000, 60


def bench_reader(repeats: int) -> Iterator[Row]:
    """Parse a 50 MB file; scikit-learn gets it without the header line, from memory."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "synthetic.txt"
        size = _write(path)
        ours = median_seconds(lambda: read_xc(path), repeats)
        work = f"{size / 1e6:.0f} MB of XC text"
        rate = f"{size / ours / 1e6:.0f} MB/s"
        try:
            from sklearn.datasets import load_svmlight_file
        except ImportError:
            yield Row("reader", work, ours, rate=rate)
            return
        body = path.read_bytes().partition(b"\n")[2]
        theirs = median_seconds(
            lambda: load_svmlight_file(
                io.BytesIO(body), multilabel=True, zero_based=True, n_features=N_FEATURES
            ),
            1,  # two seconds each
        )
        yield Row("reader", work, ours, "scikit-learn", theirs, rate)


def _write(path: Path) -> int:
    rng = np.random.default_rng(0)
    lines: list[str] = []
    size = 0
    while size < MEGABYTES * 1_000_000:
        labels = ",".join(map(str, np.unique(rng.integers(0, N_LABELS, 5))))
        features = np.unique(rng.integers(0, N_FEATURES, FEATURES_PER_ROW))
        values = rng.random(features.size)
        pairs = [f"{f}:{v:.6f}" for f, v in zip(features.tolist(), values.tolist(), strict=True)]
        lines.append(f"{labels} {' '.join(pairs)}\n")
        size += len(lines[-1])
    header = f"{len(lines)} {N_FEATURES} {N_LABELS}\n"
    path.write_text(header + "".join(lines))
    return size + len(header)
