"""A folder in which the documents' commands run: every name they use, as tiny made-up data."""

from __future__ import annotations

import csv
import gzip
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.conftest import tiny_text
from tests.docs.documents import ROOT
from xcbench.config.yaml import dump, parse

_DATASETS = (
    "bibtex",
    "delicious",
    "stackex-cs",
    "citeulike-t",
    "wikilshtc",
    "eurlex",
    "bioregistry",
)
_CONFIGS = ("bibtex", "delicious", "citeulike-t", "quickstart", "sweeps/nightly")
_LARGEST = 20
_METHODS = ("sleec", "rxml", "rxml-blend")
# What data is called that lies elsewhere.
_ELSEWHERE = ("DIR", "../shared/data", "home/xc-data")
_TAGS = ("python", "css", "sql", "git", "bash", "java")
_WORDS = (
    "list loop class",
    "margin grid",
    "join table index",
    "merge branch",
    "pipe loop",
    "class",
)
_ARFF = """@relation tiny
@attribute word numeric
@attribute other numeric
@attribute tag {0,1}
@attribute rare {0,1}
@data
{0 1.5, 2 1}
{1 0.5, 3 1}
"""
_XML = """<labels xmlns="http://mulan.sourceforge.net/labels">
<label name="tag"/><label name="rare"/>
</labels>
"""


def build(folder: Path) -> None:
    """Fill ``folder`` and the ``shared`` folder beside it."""
    data = folder / "data"
    for name in _DATASETS:
        _dataset(data / name)
    for place in _ELSEWHERE:
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).symlink_to(data)
    for name in _CONFIGS:
        _config(Path("configs") / f"{name}.yaml", folder)
    (folder / "configs" / "figures").mkdir()
    _texts(folder)


def _dataset(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "train.txt").write_text(tiny_text(150, seed=1, d=100, groups=30))
    (folder / "test.txt").write_text(tiny_text(30, seed=2, d=100, groups=30))


def _config(path: Path, folder: Path) -> None:
    """The project's config in small: in its numbers, methods and sweeps."""
    config = _small(parse((ROOT / path).read_text(encoding="utf-8"), str(path)).value)
    if len(config["methods"]) > len(_METHODS):
        config["methods"] = [method for method in config["methods"] if _label(method) in _METHODS]
    config["sweep"] = {key: values[:1] for key, values in config.get("sweep", {}).items()}
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(dump(config))


def _label(method: Any) -> str:
    return method if isinstance(method, str) else method.get("label", method["preset"])


def _small(value: Any) -> Any:
    """Sizes that fit the data: whole numbers of at most ``_LARGEST``."""
    if isinstance(value, dict):
        return {key: _small(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [*{str(small): small for small in map(_small, value)}.values()]
    is_size = isinstance(value, int) and not isinstance(value, bool)
    return min(value, _LARGEST) if is_size else value


def _texts(folder: Path) -> None:
    """Posts with tags and new ones without; points in XC text under the names of the examples."""
    rng = np.random.default_rng(0)
    rows = [
        (" ".join(rng.choice(words.split(), 4)), f"{tag};{rng.choice(_TAGS)}")
        for tag, words in zip(_TAGS, _WORDS, strict=True)
        for _ in range(35)
    ]
    with (folder / "posts.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([("text", "tags"), *rows])
    (folder / "new.csv").write_text("text\njoin a table\nlist in a loop\n")
    points = tiny_text(40, seed=3)
    (folder / "all.txt").write_text(points)
    (folder / "my").mkdir()
    (folder / "my" / "train.txt.gz").write_bytes(gzip.compress(points.encode()))
    (folder / "my" / "train.svm").write_text("1,3 1:1.0 4:0.5\n2 5:2\n")
    for name, text in {"train.arff": _ARFF, "test.arff": _ARFF, "labels.xml": _XML}.items():
        (folder / name).write_text(text)


def before(words: Sequence[str]) -> None:
    """What a command needs: several examples make a dataset of this name, and one splits it."""
    mine = Path("data", "mine")
    if any(word.startswith(str(mine)) for word in words):
        shutil.rmtree(mine, ignore_errors=True)
    if str(mine / "data.txt") in words:
        mine.mkdir()
        (mine / "data.txt").write_text(tiny_text(40, seed=3))
