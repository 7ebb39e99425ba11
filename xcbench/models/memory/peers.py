"""The stages of other libraries' models, from outside: what they hold cannot be read from our code.

All are label trees or lists of sparse linear classifiers. Their weights are bounded by what their
training rows hold: a classifier has a weight for each feature of the rows of its labels. The small
ones are then pruned; how many cannot be known, so none is taken off: rather too much than too
little.
"""

from __future__ import annotations

from xcbench.config.peers import NapkinXCSettings, OmikujiSettings, PecosSettings
from xcbench.models.memory.shape import DataShape
from xcbench.models.memory.stages import PROCESS, Stage

ADVICE = "a higher threshold of its weights or fewer trees"
# A weight and its feature, twice for vectors that grow; in a hash table, as napkinXC loads them,
# about four times that. Binary relevance was seen to hold a dense vector for every label as it
# trains (1.0 GB for 8,311 labels of 20,000 features).
ENTRY, HASHED, DENSE = 16, 64, 8


def stages(
    settings: OmikujiSettings | NapkinXCSettings | PecosSettings, shape: DataShape, k: int
) -> tuple[Stage, ...]:
    """Training, with the library's copies of the data, and prediction."""
    data = 16 * (shape.nnz_features + shape.nnz_labels) + 24 * shape.n_train
    weights = _weights(shape)
    if isinstance(settings, OmikujiSettings):
        # centroids of the labels and the classifiers, tree by tree
        model = ENTRY * settings.n_trees * weights
        fit = 2 * data + 2 * model
    elif isinstance(settings, NapkinXCSettings):
        trees = settings.ensemble if settings.kind == "plt" else 1
        dense = DENSE * shape.n_features * shape.n_labels if settings.kind == "br" else 0
        fit, model = 2 * data + ENTRY * weights + dense, HASHED * trees * weights
    else:
        # a process of its own: embeddings of the labels, the chain's classifiers
        fit, model = 2 * data + PROCESS + 3 * ENTRY * weights, 2 * ENTRY * weights + PROCESS
    test = 16 * shape.nnz_test_features + 64 * k * shape.n_test
    return (
        Stage(settings.model, ADVICE, 1, task=fit, mapped=shape.train_bytes),
        Stage("predict", ADVICE, 1, task=model + test, mapped=8 * shape.nnz_test_features),
    )


def _weights(shape: DataShape) -> int:
    """Features that occur with each label, summed over labels; at most all of them with each."""
    mean_labels = shape.nnz_labels / max(shape.n_train, 1)
    met = int(shape.nnz_features * mean_labels)
    return min(met, shape.n_features * shape.n_labels)
