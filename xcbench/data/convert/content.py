"""What a dataset holds, whatever its form: matrices, names, and the texts they came from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from scipy import sparse

from xcbench.data.matrix import column_counts, take_rows, widened
from xcbench.data.names import Names
from xcbench.data.splits.rows import RowParts, split_rows
from xcbench.data.texts.features import TextFeatures
from xcbench.errors import DataError

LABELS_XML = "labels.xml"
_NEAR = 0.9  # of the test rows asked for; with fewer a draw says so


@dataclass(frozen=True)
class RowDraw:
    """How rows are taken as the test part (see ``split_rows``)."""

    share: float
    seed: int = 0
    keep_labels: bool = False

    def of(self, Y: sparse.csr_array) -> RowParts:
        """The rows of both parts, given the labels."""
        return split_rows(Y, self.share, self.seed, self.keep_labels)

    def remarks(self, parts: RowParts) -> tuple[str, ...]:
        """What is worth knowing of the parts that were drawn."""
        if not self.keep_labels:
            return (str(parts),)
        easier = "rare labels are missing in the test part: it is easier than new data will be"
        n_test = parts.test.size
        n = n_test + parts.train.size
        wanted = round(n * self.share)
        if n_test >= _NEAR * wanted:
            return str(parts), easier
        short = (
            f"only {n_test} of {wanted} test rows could be drawn: {n_test / n:.2g} of the rows, "
            f"not {self.share:g}; --draw random takes as many as asked for"
        )
        return str(parts), easier, short


@dataclass(frozen=True, eq=False)
class Part:
    """Rows of a dataset.

    Attributes
    ----------
    X, Y : csr_array of float32, shape (n, d) and (n, l)
        Features and labels, canonical.
    texts : tuple of str, length n, or None
        White space collapsed.
    """

    X: sparse.csr_array
    Y: sparse.csr_array
    texts: tuple[str, ...] | None = None

    def rows(self, rows: np.ndarray) -> Part:
        """The rows of those numbers, in that order."""
        texts = self.texts and tuple(self.texts[row] for row in rows.tolist())
        return Part(take_rows(self.X, rows), take_rows(self.Y, rows), texts)


@dataclass(frozen=True, eq=False)
class Content:
    """A dataset.

    Attributes
    ----------
    train : Part
        All rows, where there is no test part.
    test : Part or None
        As wide as ``train``.
    names : Names
    text : TextFeatures or None
        How its texts were read.
    remarks : tuple of str
        What is worth knowing of how it was read, in words.
    """

    train: Part
    test: Part | None = None
    names: Names = field(default_factory=Names)
    text: TextFeatures | None = None
    remarks: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[Part, ...]:
        return (self.train,) if self.test is None else (self.train, self.test)

    def labels_in_test_only(self) -> int:
        """How many labels have a test row and no training row."""
        if self.test is None:
            return 0
        seen, asked = column_counts(self.train.Y)[0], column_counts(self.test.Y)[0]
        return int(np.setdiff1d(asked, seen).size)

    def split(self, share: RowDraw) -> Content:
        """With some rows as the test part."""
        parts = share.of(self.train.Y)
        return replace(
            self,
            train=self.train.rows(parts.train),
            test=self.train.rows(parts.test),
            remarks=(*share.remarks(parts), *self.remarks),
        )


def joined(train: Content, test: Content) -> Content:
    """Two datasets of one part each as the training and the test part of one.

    Where they differ in width both get the larger one.

    Raises
    ------
    DataError
        The names of their labels or features differ.
    """
    shapes = [(part.X.shape[1], part.Y.shape[1]) for part in (train.train, test.train)]
    d, n_labels = (max(pair) for pair in zip(*shapes, strict=True))
    for what in ("features", "labels"):
        ours, theirs = getattr(train.names, what), getattr(test.names, what)
        if ours is not None and theirs is not None and ours != theirs:
            pairs = zip(ours, theirs, strict=False)
            at = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(ours), len(theirs)))
            raise DataError(f"the {what} of the training and the test part differ, from {at} on")
    remarks = [*train.remarks, *test.remarks]
    for what, count, (a, b) in zip(
        ("features", "labels"), (d, n_labels), zip(*shapes, strict=True), strict=True
    ):
        if a != b:
            remarks.append(f"the training part has {a} {what}, the test part {b}: both get {count}")
        names = getattr(train.names, what)
        if names is not None and len(names) != count:
            raise DataError(f"the test part has {b} {what}; {len(names)} have names")
    parts = [
        Part(widened(part.X, d), widened(part.Y, n_labels), part.texts)
        for part in (train.train, test.train)
    ]
    return replace(train, train=parts[0], test=parts[1], remarks=tuple(dict.fromkeys(remarks)))
