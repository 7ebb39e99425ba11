"""The named methods: each preset is a model and the values that differ from its defaults."""

from __future__ import annotations

from typing import Any

PRESETS: dict[str, dict[str, Any]] = {
    # The best we know: spectral start, a few CG iterations, cosine-weighted vote [ours].
    "rxml": {"model": "local_embedding"},
    # rxml's vote with a linear head beside it [ours].
    "rxml-blend": {"model": "local_embedding", "head": {"kind": "squared_hinge"}},
    # As the RXML paper ran it: its solver (Manopt's defaults, random start, 30 iterations) inside
    # SLEEC's released code, hence cosine neighbours, ridge regression and equal votes. As printed
    # it would be neighbours: inner and regression: admm_l1.
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
    # SLEEC with the solver as printed (SVP, step 1); completion: released is the public code's. The
    # other stages are the release's, which differ from the print (inner product, admm_l1).
    "sleec": {
        "model": "local_embedding",
        "neighbours": {"disjoint": "keep"},
        "completion": {"kind": "svp", "iterations": 10},
        "vote": {"kind": "euclidean"},
    },
    "global": {"model": "global"},
    # Matrix completion with side information, of a model that sees no test row in its fit.
    "maxide": {"model": "maxide"},
    # Plain baselines from the features [ours].
    "ridge": {"model": "one_vs_rest"},
    "knn": {"model": "feature_neighbours"},
    # Settings in the tables of omikuji's README, beside its own defaults: balanced 2-means
    # (Parabel), regular k-means (Bonsai), and five of six layers collapsed, the tree's shape in
    # AttentionXML. Its fourth, balanced 100-means, is left out.
    "omikuji-parabel": {"model": "omikuji"},
    "omikuji-bonsai": {
        "model": "omikuji",
        "cluster_balanced": False,
        "cluster_k": 100,
        "max_depth": 3,
    },
    "omikuji-attention": {"model": "omikuji", "collapse_every_n_layers": 5},
    # The defaults of napkinXC and of PECOS's command pecos.xmc.xlinear.train.
    "napkinxc-plt": {"model": "napkinxc"},
    "napkinxc-br": {"model": "napkinxc", "kind": "br"},
    "pecos-xrlinear": {"model": "pecos"},
}
