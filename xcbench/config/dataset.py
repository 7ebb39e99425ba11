"""The data of an extreme-classification job: which files, and what is measured on them."""

from __future__ import annotations

import re
import unicodedata
from pathlib import PurePosixPath
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from xcbench.config.base import Count, Counts, NonNegative, Positive, Settings, TaskSettings
from xcbench.config.problems import shown

_LONGEST_TITLE = 100  # file systems take names of 255 bytes, and titles get hashes added


def _without_controls(value: str) -> str:
    if any(unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") for letter in value):
        raise ValueError(f"found {shown(value)}; expected text without control characters")
    return value


PathText = Annotated[str, Field(min_length=1), AfterValidator(_without_controls)]


class PropensityConfig(Settings):
    """Propensity parameters A and B of Jain et al. (2016)."""

    a: Positive
    b: NonNegative


class CorruptionConfig(Settings):
    """Training labels damaged on purpose: ``rows`` percent get ``labels`` random ones instead."""

    rows: Annotated[float, Field(gt=0, le=100)]
    labels: Count
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] = 0


class DatasetConfig(Settings):
    """Which data, and how its rows are scaled.

    Attributes
    ----------
    name : str or None
        A catalogue name, or a folder under the data root that holds train and test files.
    train, test : str or None
        Paths of the two files, instead of ``name``.
    format, base : how those two files are written; libsvm files need the base of their indices.
    features : "unit" scales rows to length one; "tfidf" weights by the training idf first.
    propensity : None takes the catalogue's, else 0.55 and 1.5.
    corrupted : damage to the training labels, for experiments on robustness.
    """

    name: PathText | None = None
    train: PathText | None = None
    test: PathText | None = None
    format: Literal["xc", "libsvm"] = "xc"
    base: Literal[0, 1] | None = None
    features: Literal["unit", "tfidf", "raw"] = "unit"
    propensity: PropensityConfig | None = None
    corrupted: CorruptionConfig | None = None

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        paths = [path for path in (self.train, self.test) if path is not None]
        if (self.name is None) == (not paths) or len(paths) == 1:
            raise ValueError("give either name, or both train and test")
        if self.name is not None and self.format != "xc":
            raise ValueError("format belongs to train and test paths, not to a name")
        if (self.format == "libsvm") != (self.base is not None):
            raise ValueError("base (0 or 1) goes with format libsvm, and only with it")
        return self

    @property
    def title(self) -> str:
        """What tables and folders call this data; safe as a folder name."""
        if self.name is not None:
            text = self.name
        else:
            path = PurePosixPath(self.train or "")
            text = path.parent.name or path.name.split(".")[0]
        title = re.sub(r"[^A-Za-z0-9._+=-]+", "-", text)[:_LONGEST_TITLE].strip("-.") or "data"
        return f"{title}-corrupted{self.corrupted.rows:g}" if self.corrupted else title


class MetricsConfig(Settings):
    """The cut-offs k of P@k, nDCG@k, PSP@k and PSnDCG@k.

    ``psndcg``: divide as pyxclib and napkinXC do, or as the XC repository's MATLAB script.
    """

    k: Counts = (1, 3, 5)
    psndcg: Literal["pyxclib", "matlab"] = "pyxclib"


def _in_data_root(dataset: DatasetConfig) -> DatasetConfig:
    """Refuse a name that leaves the data folder; data/sources.py guards other callers' names."""
    if dataset.name is not None and {"", ".", ".."}.intersection(dataset.name.split("/")):
        raise ValueError(
            f"found the name {shown(dataset.name)}; expected a folder below the data folder; "
            "for other places give train and test"
        )
    return dataset


# What a config may name; DatasetConfig itself serves other callers too.
XCDataset = Annotated[DatasetConfig, AfterValidator(_in_data_root)]


class XCTask(TaskSettings):
    """Extreme classification: rank the labels of the test rows."""

    kind: Literal["xc"] = "xc"
