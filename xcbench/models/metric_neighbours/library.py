"""ITML of the library metric-learn, which is optional."""

from __future__ import annotations

import re
import warnings
from importlib.metadata import version
from importlib.util import find_spec

import numpy as np

from xcbench.config.metric_learning import MetricLearnSettings

_REMEDY = "pip install 'xcbench[metric-learn]'"
_LAST_BROKEN, _FIRST_TOO_NEW = (0, 7), (1, 8)


def missing_metric_learn() -> str | None:
    """What has to be installed before metric-learn can run, as a sentence; None if nothing.

    metric-learn up to 0.7 calls scikit-learn in a way that 1.8 no longer has.
    """
    if find_spec("metric_learn") is None:
        return f"metric-learn is not installed: {_REMEDY}"
    ours, theirs = version("metric-learn"), version("scikit-learn")
    if _numbers(ours) <= _LAST_BROKEN and _numbers(theirs) >= _FIRST_TOO_NEW:
        return f"metric-learn {ours} does not run with scikit-learn {theirs}: {_REMEDY}"
    return None


def fit_metric_learn(
    settings: MetricLearnSettings, X: np.ndarray, y: np.ndarray, gamma: float, seed: int
) -> np.ndarray:
    """The factor (d, d) of the metric that metric-learn learns from X (n, d) and y (n,)."""
    from metric_learn import ITML_Supervised

    options = settings.model_dump(include={"prior", "max_iter", "tol"})
    learner = ITML_Supervised(gamma=gamma, random_state=seed, **options)
    with warnings.catch_warnings():
        # Of what it uses of scikit-learn, and of classes with too few pairs.
        warnings.simplefilter("ignore")
        learner.fit(X, y)
    return np.ascontiguousarray(learner.components_.T)


def _numbers(text: str) -> tuple[int, int]:
    """The first two numbers of a version."""
    major, minor = re.findall(r"\d+", text)[:2]
    return int(major), int(minor)
