"""What a blended score is made of, label by label: kernels/blend.py and tally.py taken apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from xcbench.models.evidence import Evidence, of_features, of_votes, row_labels
from xcbench.models.local_embedding.cluster import restricted
from xcbench.models.local_embedding.head import LinearHead


def blended_evidence(
    x: sparse.csr_array,
    labels: Sequence[int],
    voters: np.ndarray,
    votes: np.ndarray,
    known: sparse.csr_array,
    head: LinearHead | None,
    head_weight: float,
    label_weights: np.ndarray,
) -> list[Evidence]:
    """Evidence for labels of one row.

    Parameters
    ----------
    x : csr_array, shape (1, d)
    labels : sequence of int
    voters, votes : int32 and float32, shape (m,)
        Neighbours among the training points, and what each vote weighs: more than 0.
    known : csr_array, shape (n, l)
        Labels of the training points.
    head : LinearHead or None
        Without one the votes are added up as they are.
    head_weight : float
    label_weights : float32, shape (l,)
        What each label's score is multiplied by.
    """
    have = [row_labels(known, row) for row in voters.tolist()]
    of_head = None if head is None else _HeadScores.of(x, head)
    length = 1.0
    if of_head is not None and votes.size:
        votes = votes / votes.max()
        every = np.concatenate(have)
        total = np.bincount(every, weights=np.repeat(votes, [len(each) for each in have]))
        length = float(np.linalg.norm(total)) or length
    found = []
    for label in labels:
        weight = float(label_weights[label])
        own = np.array([label in of_row for of_row in have], bool)
        rows, own_votes, row_shares = of_votes(voters[own], votes[own], weight / length)
        constant, features, shares = 0.0, np.empty(0, np.int32), np.empty(0)
        if of_head is not None:
            constant, features, shares = of_head.parts(label, weight * head_weight)
        found.append(Evidence(label, constant, rows, own_votes, row_shares, features, shares))
    return found


@dataclass(frozen=True, eq=False)
class _HeadScores:
    """The head's scores of one row: h = max(0, (1 + x W + intercept) / 2), and |h|."""

    x: sparse.csr_array
    head: LinearHead
    weights: sparse.csr_array
    scores: np.ndarray
    length: float

    @classmethod
    def of(cls, x: sparse.csr_array, head: LinearHead) -> _HeadScores:
        shape = head.features.size, head.labels.size
        weights = sparse.csr_array((head.values, head.places, head.starts), shape=shape)
        x = restricted(x, head.features).astype(np.float64)
        margins = (x @ weights).toarray()[0] + head.intercepts
        scores = np.maximum(0.0, (1.0 + margins) / 2.0)
        return cls(x, head, weights, scores, float(np.linalg.norm(scores)))

    def parts(self, label: int, scale: float) -> tuple[float, np.ndarray, np.ndarray]:
        """Constant, features and their shares in the score of a label."""
        place = int(np.searchsorted(self.head.labels, label))
        of_head = place < self.head.labels.size and self.head.labels[place] == label
        if not of_head or not self.scores[place] > 0:
            return 0.0, np.empty(0, np.int32), np.empty(0)
        half = scale / self.length / 2.0
        columns = self.weights[self.x.indices][:, [place]].toarray()[:, 0]
        features, shares = of_features(
            self.head.features[self.x.indices], half * self.x.data * columns
        )
        return half * (1.0 + float(self.head.intercepts[place])), features, shares
