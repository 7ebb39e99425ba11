"""The named methods: each preset is a model and the values that differ from its defaults."""

from __future__ import annotations

from typing import Any

PRESETS: dict[str, dict[str, Any]] = {
    # The best we know: spectral start, a few CG iterations, cosine-weighted vote [ours].
    "rxml": {"model": "local_embedding"},
    # As the paper ran it: Manopt's defaults, random start, 30 iterations, SLEEC's vote.
    "rxml-paper": {
        "model": "local_embedding",
        "completion": {
            "kind": "riemannian_cg",
            "start": "random",
            "iterations": 30,
            "beta": "hestenes_stiefel",
            "line_search": "armijo",
        },
        "neighbours": {"disjoint": "keep"},
        "vote": {"kind": "euclidean"},
    },
    # As printed in the SLEEC paper (SVP, eta = 1); completion: released is the public code.
    "sleec": {
        "model": "local_embedding",
        "neighbours": {"disjoint": "keep"},
        "completion": {"kind": "svp", "iterations": 10},
        "vote": {"kind": "euclidean"},
    },
    "global": {"model": "global"},
}
