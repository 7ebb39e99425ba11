"""Rows of results, made to order."""

import pytest


@pytest.fixture
def run():
    """A finished run of ``rxml`` on the dataset ``tiny`` with changes."""

    def make(method="rxml", split=1, seed=0, **changes):
        model = changes.pop("model", "local_embedding")
        dataset = changes.get("dataset", "tiny")
        base = {
            "status": "done", "dataset": dataset, "method": method, "preset": method,
            "split": split, "seed": seed, "utc": "2026-01-01",
            "run_id": f"tiny/{method}-{split}{seed}",
            "data_sha256": f"d{split}", "n_test": 100, "n_train": 400, "dataset.name": dataset,
            "dataset.features": "unit", "method.model": model, "method.rank": 5,
            "P@1": 50.0, "P@3": 40.0, "train_s": 2.0, "predict_ms_per_point": 0.5,
            "model_bytes": 2_000_000, "peak_rss_bytes": 300_000_000, "jobs": 2,
            "threads_per_job": 1, "host": "a", "cpu": "c",
        }  # fmt: skip
        return base | changes

    return make
