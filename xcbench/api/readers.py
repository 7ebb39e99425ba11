"""Data and fitted models from files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from scipy import sparse
from sklearn.utils import check_array, check_consistent_length

from xcbench.api.targets import features as as_features
from xcbench.api.targets import indicators
from xcbench.api.types import MatrixLike
from xcbench.config.dataset import DatasetConfig, Features
from xcbench.data.dataset import Dataset
from xcbench.data.sources import locate
from xcbench.data.store import prepare
from xcbench.data.xc_text import read_xc, write_xc

if TYPE_CHECKING:
    from xcbench.inference.fitted import FittedModel


def load_xc(path: str | os.PathLike[str]) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Read an XC text, plain or gzipped: features (n, d) and labels (n, l), float32.

    Values are as in the file, neither weighted nor scaled.

    Raises
    ------
    DataError
        The file is missing or malformed; names file, line, what was found and expected.

    Examples
    --------
    >>> from pathlib import Path
    >>> from xcbench import load_xc
    >>> _ = Path("tiny.txt").write_text("2 3 2\\n0,1 0:0.5 2:1\\n1 1:2\\n")
    >>> X, Y = load_xc("tiny.txt")
    >>> Y.toarray()
    array([[1., 1.],
           [0., 1.]], dtype=float32)
    """
    text = read_xc(path)
    return text.X, text.Y


def save_xc(path: str | os.PathLike[str], X: MatrixLike, Y: MatrixLike) -> None:
    """Write features (n, d) and a binary indicator matrix (n, l) as an XC text.

    Gzipped if the name ends in .gz. The file appears whole or not at all.

    Raises
    ------
    ValueError
        X and Y differ in rows, or hold what such a file cannot.

    Examples
    --------
    >>> from xcbench import load_xc, save_xc
    >>> save_xc("one.txt.gz", [[0.5, 0.0]], [[0, 1]])
    >>> X, Y = load_xc("one.txt.gz")
    >>> X.toarray()
    array([[0.5, 0. ]], dtype=float32)
    """
    X, Y = check_array(X, accept_sparse="csr"), check_array(Y, accept_sparse="csr", input_name="Y")
    check_consistent_length(X, Y)
    write_xc(path, as_features(X), indicators(Y))


def load_dataset(
    name: str,
    data: str | os.PathLike[str] | None = None,
    *,
    features: Features = "unit",
    split: int = 1,
) -> tuple[Dataset, Dataset]:
    """The training and the test part of a dataset, as ``xcbench run`` sees them.

    Parameters
    ----------
    name : str
        Of the catalogue (``xcbench data list``), or a folder below ``data``.
    data : path, optional
        By default the environment's XCBENCH_DATA, else ``data``.
    features : {"unit", "tfidf", "raw"}
        How rows are scaled.
    split : int
        Counted from 1.

    Returns
    -------
    train, test : Dataset
        With ``X`` and ``Y``, memory-mapped and read-only.

    Raises
    ------
    DataError
        The files are missing or malformed.
    """
    root = Path(data if data is not None else os.environ.get("XCBENCH_DATA", "data"))
    prepared = prepare(locate(DatasetConfig(name=name), root, split), features)
    return prepared.train, prepared.test


def load_model(folder: str | os.PathLike[str]) -> FittedModel:
    """Open a model folder that ``xcbench fit`` made; its arrays are memory-mapped.

    Raises
    ------
    DataError
        The folder is missing, damaged, or of a version that cannot be read.
    """
    from xcbench.inference.fitted import open_model

    return open_model(Path(folder))
