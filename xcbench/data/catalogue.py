"""The datasets known by name: sizes, file names, propensity parameters, where to get them."""

from __future__ import annotations

from importlib import resources
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, StringConstraints

from xcbench.config.dataset import Features

LayoutKind = Literal["files", "splits", "pairs", "npz"]


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Layout(_Frozen):
    """One way the files of a dataset can lie in its folder.

    Attributes
    ----------
    kind : str
        files: training and test text. splits: data text, training rows, test rows.
        pairs and npz: training features and labels, test features and labels.
    files : tuple of str
        Names in that order; text may have .gz added, and upper and lower case are the same.
    """

    kind: LayoutKind
    files: tuple[str, ...]


class Propensity(_Frozen):
    """Parameters A and B of Jain, Prabhu and Varma (KDD 2016)."""

    a: float
    b: float


class Download(_Frozen):
    """One address a dataset's archive can be had from; the others of an entry are its mirrors.

    Attributes
    ----------
    url : str
    archive : str
        The file's name as it is saved; its format is told by its bytes.
    checksum : str or None
        ``md5:...`` or ``sha256:...`` in hexadecimal, where one is published for this address.
    """

    url: Annotated[str, StringConstraints(pattern=r"^https?://")]
    archive: Annotated[str, StringConstraints(pattern=r"^\w[\w.-]*$")]
    checksum: (
        Annotated[str, StringConstraints(pattern=r"^(md5:[0-9a-f]{32}|sha256:[0-9a-f]{64})$")]
        | None
    ) = None


class CatalogueEntry(_Frozen):
    """What is published about a dataset.

    Attributes
    ----------
    name, title : str
        As in a config; as in print.
    folders : tuple of str
        Folders under the data root to look in, in order; the last ones are what the
        repository's archives unpack to.
    layouts : tuple of Layout
        In order of preference.
    n_train, n_test, n_features, n_labels : int
    labels_per_point, points_per_label, features_per_point : float or None
        Averages as published.
    n_splits : int
    features : str
        The usual scaling of its rows.
    propensity : Propensity
    table1 : bool
        Whether it is one of the ten of the benchmark's Table 1.
    source, licence, page : str
        Where it comes from, what is known of its licence, where to download it.
    downloads : tuple of Download
        Addresses of its archive, tried in order; empty if none is known.
    """

    name: str
    title: str
    folders: tuple[str, ...]
    layouts: tuple[Layout, ...]
    n_train: int
    n_test: int
    n_features: int
    n_labels: int
    labels_per_point: float | None = None
    points_per_label: float | None = None
    features_per_point: float | None = None
    n_splits: int = 1
    features: Features = "unit"
    propensity: Propensity = Propensity(a=0.55, b=1.5)
    table1: bool = False
    source: str
    licence: str
    page: str | None = None
    downloads: tuple[Download, ...] = ()


def _read() -> dict[str, Any]:
    text = resources.files("xcbench.data").joinpath("catalog.yaml").read_text("utf-8")
    # The loader in C reads the file eight times as fast, and is not part of every PyYAML.
    return dict(yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)))


def common_layouts() -> tuple[Layout, ...]:
    """The layouts looked for in every folder, of a known dataset or not."""
    return tuple(Layout.model_validate(layout) for layout in _read()["layouts"])


def catalogue() -> dict[str, CatalogueEntry]:
    """All entries by name, in the order of the file: Table 1 first, by number of labels."""
    content = _read()
    entries = {}
    for name, fields in content["datasets"].items():
        whole = fields | {
            "name": name,
            "folders": [name, *fields.get("folders", [])],
            "layouts": [*fields.get("layouts", []), *content["layouts"]],
        }
        entries[name] = CatalogueEntry.model_validate(whole)
    return entries
