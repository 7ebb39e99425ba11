"""Why a row gets its labels: the training points and features behind each, with names and texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from xcbench.data.dataset import Dataset
from xcbench.data.matrix import slice_rows
from xcbench.errors import ConfigError
from xcbench.inference.fit import TEXTS
from xcbench.inference.fitted import FittedModel
from xcbench.models.evidence import Evidence, Explainable, is_explainable, is_voting

FEATURES_SHOWN = 5
_TEXT_SHOWN = 200


@dataclass(frozen=True)
class Named:
    """A label or feature, and its name where it has one."""

    id: int
    name: str | None

    def __str__(self) -> str:
        return str(self.id) if self.name is None else self.name


@dataclass(frozen=True)
class Share:
    """What a feature adds to a score."""

    feature: Named
    share: float


@dataclass(frozen=True)
class Neighbour:
    """A training point that voted for a label.

    Attributes
    ----------
    row : int
        Of the training part, from 0.
    weight, share : float
        What its vote weighs, and what it adds to the score.
    labels : tuple of Named
    shared : tuple of Named or None
        The features it has in common with the row, those of the largest products first; None
        where the training data is not at hand.
    text : str or None
        Its beginning.
    """

    row: int
    weight: float
    share: float
    labels: tuple[Named, ...]
    shared: tuple[Named, ...] | None
    text: str | None


@dataclass(frozen=True)
class Reasons:
    """A predicted label and what its score is made of.

    Attributes
    ----------
    label : Named
    score : float
        What predict gives: votes + features + constant, but for rounding.
    votes, features, constant : float
        Of all neighbours, of all features, and what is there whatever the row.
    true : bool or None
        Whether the row has the label; None where that is not known.
    voters : int
        How many training points voted for it.
    neighbours, strongest : tuples of Neighbour and Share
        The first of them.
    """

    label: Named
    score: float
    votes: float
    features: float
    constant: float
    true: bool | None
    voters: int
    neighbours: tuple[Neighbour, ...]
    strongest: tuple[Share, ...]


@dataclass(frozen=True)
class Explanation:
    """Of one row; ``true`` are its labels, None where they are not known."""

    n_features: int
    true: tuple[Named, ...] | None
    labels: tuple[Reasons, ...]


def require_explainable(fitted: FittedModel) -> Explainable:
    """The model, if it can say what its scores are made of.

    Raises
    ------
    ConfigError
        It is another library's, which does not tell.
    """
    if not is_explainable(fitted.model):
        raise ConfigError(
            f"{fitted.folder}: {fitted.job.method.settings.model} is a library of its own, which "
            "does not tell what its scores are made of; explain is for xcbench's own models"
        )
    return fitted.model


def explain(
    fitted: FittedModel,
    x: sparse.csr_array,
    top: int,
    neighbours: int,
    train: Dataset | None = None,
    true: Sequence[int] | None = None,
) -> Explanation:
    """Predict one row and take its scores apart.

    Parameters
    ----------
    fitted : FittedModel
    x : csr_array, shape (1, d)
        Scaled (see FittedModel.scaled).
    top, neighbours : int
        Labels (there may be fewer), and neighbours of each, at most.
    train : Dataset, optional
        What the model was fitted to, for the features that neighbours share with the row.
    true : sequence of int, optional
        The row's labels.

    Raises
    ------
    ConfigError
        The model cannot say what its scores are made of.
    """
    model = require_explainable(fitted)
    predicted = model.predict(x, min(top, fitted.n_labels))
    kept = predicted.labels[0] >= 0
    found = model.evidence(x, predicted.labels[0, kept].tolist())
    texts = _texts(fitted, {row for each in found for row in each.rows[:neighbours].tolist()})

    def neighbour(each: Evidence, place: int) -> Neighbour:
        assert is_voting(model)
        row = int(each.rows[place])
        return Neighbour(
            row,
            float(each.weights[place]),
            float(each.row_shares[place]),
            _named(model.labels_of(row).tolist(), fitted.label_names),
            None if train is None else _shared(fitted, x, slice_rows(train.X, row, row + 1)),
            texts.get(row),
        )

    return Explanation(
        int(x.nnz),
        None if true is None else _named(true, fitted.label_names),
        tuple(
            Reasons(
                label=_named([each.label], fitted.label_names)[0],
                score=score,
                votes=float(each.row_shares.sum()),
                features=float(each.feature_shares.sum()),
                constant=each.constant,
                true=None if true is None else each.label in true,
                voters=each.rows.size,
                neighbours=tuple(
                    neighbour(each, place) for place in range(min(neighbours, each.rows.size))
                ),
                strongest=_strongest(each, fitted.feature_names),
            )
            for each, score in zip(found, predicted.scores[0, kept].tolist(), strict=True)
        ),
    )


def _named(ids: Iterable[int], names: Sequence[str] | None) -> tuple[Named, ...]:
    return tuple(Named(each, None if names is None else names[each]) for each in ids)


def _strongest(each: Evidence, names: Sequence[str] | None) -> tuple[Share, ...]:
    features = _named(each.features[:FEATURES_SHOWN].tolist(), names)
    shares = each.feature_shares[:FEATURES_SHOWN].tolist()
    return tuple(Share(*pair) for pair in zip(features, shares, strict=True))


def _shared(fitted: FittedModel, x: sparse.csr_array, t: sparse.csr_array) -> tuple[Named, ...]:
    """The features two rows have in common, those that add most to their inner product first."""
    common, at_x, at_t = np.intersect1d(
        x.indices, t.indices, assume_unique=True, return_indices=True
    )
    products = x.data[at_x] * t.data[at_t]
    order = np.lexsort((common, -products))[:FEATURES_SHOWN]
    return _named(common[order].tolist(), fitted.feature_names)


def _texts(fitted: FittedModel, rows: set[int]) -> dict[int, str]:
    """The beginnings of training texts, as far as the model has them."""
    path = fitted.folder / TEXTS
    if not rows or not path.is_file():
        return {}
    last, found = max(rows), {}
    with path.open(encoding="utf-8", newline="\n") as lines:
        for number, line in enumerate(lines):
            if number in rows:
                found[number] = line.rstrip("\n")[:_TEXT_SHOWN]
            if number == last:
                break
    return found
