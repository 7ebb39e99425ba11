"""Made-up posts with tags, as a dataset folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy import sparse

from xcbench.data.dataset import TopK
from xcbench.data.names import LABEL_NAMES, write_names
from xcbench.data.texts.features import TextFeatures, TextSettings
from xcbench.data.xc_text import write_xc

TAGS = ("python", "numpy", "sql", "regex", "css", "git")
COMMON = ("how", "what", "please", "error", "value", "line", "file", "list")


def posts(n: int, seed: int) -> tuple[list[str], np.ndarray]:
    """Texts, and their tags as a 0/1 matrix."""
    rng = np.random.default_rng(seed)
    texts, tags = [], np.zeros((n, len(TAGS)), np.float32)
    for i in range(n):
        own = rng.choice(len(TAGS), 1 + i % 2, replace=False)
        words = [f"{TAGS[tag]}word{rng.integers(4)}" for tag in own for _ in range(3)]
        words += rng.choice(COMMON, 4).tolist()
        texts.append(" ".join(rng.permutation(words)))
        tags[i, own] = 1
    return texts, tags


def write_posts(folder: Path, n_train: int = 60, n_test: int = 25) -> None:
    """What ``data convert`` makes of such texts."""
    folder.mkdir(parents=True)
    (train, train_tags), (test, test_tags) = posts(n_train, 1), posts(n_test, 2)
    features = TextFeatures.fit(train, TextSettings())
    for part, texts, tags in (("train", train, train_tags), ("test", test, test_tags)):
        write_xc(folder / f"{part}.txt", features.transform(texts), sparse.csr_array(tags))
    features.save(folder)
    write_names(folder / LABEL_NAMES, TAGS)
    write_names(folder / "trn_X.txt", train)
    write_names(folder / "tst_X.txt", test)


def assert_close_rankings(found: TopK, expected: TopK) -> None:
    """The same scores but for the last bits, and the same labels where scores are apart."""
    np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-5, atol=1e-6)
    assert found.labels.shape == expected.labels.shape
    for row in range(len(found.labels)):
        scores = expected.scores[row].astype(float)
        with np.errstate(invalid="ignore"):  # -inf where there is no label
            near = np.diff(scores, append=scores[-1:]) > -1e-5  # the last one's next is not known
        near[1:] |= near[:-1].copy()
        apart = ~near
        assert found.labels[row, apart].tolist() == expected.labels[row, apart].tolist()
