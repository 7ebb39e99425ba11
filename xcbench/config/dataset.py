"""The data of an extreme-classification job: which files, and what is measured on them."""

from __future__ import annotations

import re
import unicodedata
from pathlib import PurePosixPath
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from xcbench.config.base import Count, Counts, NonNegative, Positive, Seed, Settings, TaskSettings
from xcbench.config.problems import shown

Features = Literal["unit", "tfidf", "raw"]

_LONGEST_TITLE = 100  # file systems take names of 255 bytes, and titles get hashes added


def _without_controls(value: str) -> str:
    if any(unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") for letter in value):
        raise ValueError(f"found {shown(value)}; expected text without control characters")
    return value


PathText = Annotated[str, Field(min_length=1), AfterValidator(_without_controls)]


class PropensityConfig(Settings):
    """Propensity parameters A and B of Jain et al. (2016)."""

    a: Positive = Field(description="A: how fast propensity grows with a label's rows")
    b: NonNegative = Field(description="B: added to a label's number of rows")


class CorruptionConfig(Settings):
    """Training labels damaged on purpose: ``rows`` percent get ``labels`` random ones instead."""

    rows: Annotated[float, Field(gt=0, le=100)] = Field(
        description="percent of the training rows whose labels are replaced"
    )
    labels: Count = Field(description="how many random labels each of them gets")
    seed: Seed = Field(default=0, description="what rows and labels are drawn with")


class HeldOutConfig(Settings):
    """A share of the training rows, drawn at random, is tested on instead of the test rows."""

    share: Annotated[float, Field(gt=0, lt=1)] = Field(
        default=0.1, description="the share of the training rows that is held out"
    )
    seed: Seed = Field(default=0, description="what the rows are drawn with")


class DatasetConfig(Settings):
    """Which data, and how its rows are scaled."""

    name: PathText | None = Field(
        default=None,
        description="a name of `xcbench data list`, or a folder in the data folder",
    )
    train: PathText | None = Field(
        default=None,
        description="the path of a training file, with test instead of name",
        examples=["my/train.txt"],
    )
    test: PathText | None = Field(
        default=None, description="the path of a test file", examples=["my/test.txt"]
    )
    format: Literal["xc", "libsvm"] = Field(
        default="xc", description="how the files of train and test are written"
    )
    base: Literal[0, 1] | None = Field(
        default=None,
        description="the number that the indices of libsvm files count from",
        examples=[1],
    )
    features: Features = Field(
        default="unit",
        description="unit scales rows to length one; tfidf weights by the training rows' idf "
        "first, for counts of words; raw leaves them",
    )
    propensity: PropensityConfig | None = Field(
        default=None,
        description="constants of PSP@k; by default the dataset's published ones, else these",
        examples=[{"a": 0.55, "b": 1.5}],
    )
    corrupted: CorruptionConfig | None = Field(
        default=None,
        description="damage to the training labels, for experiments on robustness",
        examples=[{"rows": 10, "labels": 3}],
    )
    held_out: HeldOutConfig | None = Field(
        default=None,
        description="train on a part of the training rows and test on the rest of them, to choose "
        "settings without a look at the test rows",
        examples=[{"share": 0.1, "seed": 0}],
    )

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
        title += f"-corrupted{self.corrupted.rows:g}" if self.corrupted else ""
        return title + (f"-heldout{100 * self.held_out.share:g}" if self.held_out else "")


class MetricsConfig(Settings):
    """What is measured: P@k, nDCG@k, PSP@k and PSnDCG@k."""

    k: Counts = Field(default=(1, 3, 5), description="the cut-offs k: how many labels count")
    psndcg: Literal["pyxclib", "matlab"] = Field(
        default="pyxclib",
        description="divide PSnDCG as pyxclib and napkinXC do, or as the XC repository's script",
    )


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
