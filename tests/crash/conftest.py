"""A folder with data and a sweep, for runs in processes of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import tiny_text

SWEEP = """
dataset: {name: tiny}
methods:
  - {preset: rxml, rank: 3, learners: 2, clusters: 2, neighbours: {count: 5}}
  - {preset: sleec, rank: 3, clusters: 2, neighbours: {count: 5}, vote: {neighbours: 5}}
  - {preset: global, rank: 3}
sweep: {rank: [2, 3, 4, 5, 6, 7, 8]}
executor: {backend: inline}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The data ``tiny``, ``sweep.yaml`` of 21 jobs, and ``one.yaml`` of one in two processes."""
    folder = tmp_path / "data" / "tiny"
    folder.mkdir(parents=True)
    (folder / "train.txt").write_text(tiny_text(60, seed=1))
    (folder / "test.txt").write_text(tiny_text(25, seed=2))
    (tmp_path / "sweep.yaml").write_text(SWEEP)
    (tmp_path / "one.yaml").write_text("dataset: {name: tiny}\nmethod: rxml\nexecutor: {jobs: 2}\n")
    return tmp_path
