"""The config loader on damaged files.

    python -m tests.fuzz.config --runs 200000 --seed 0

A run passes when the file is refused with a ConfigError whose every line names the file and is
short and printable, or gives a Config that holds only what the schema below allows and reads back
equal. Any other exception, a wait or a memory that fills up is a failure.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from tests.fuzz import mutate
from tests.fuzz.campaign import main
from xcbench.config.loader import load_config, load_document
from xcbench.config.schema import Config
from xcbench.config.yaml import dump, parse
from xcbench.errors import ConfigError

ROOT = Path(__file__).parent.parent.parent
LONGEST_LINE = 1300  # an unknown key of a sweep lists all that are known

_WORDS = """
0 1 -1 2 1e3 1e-3 .5 5. 1e400 .inf .nan nan true False no on ~ null 0x1F 010 1_000 10:30 auto
9223372036854775807 9223372036854775808 2020-01-01 << = ? - : | > & * ! % @ ` # , { } [ ] [] {} ''
' *a &a !!str !!int !!float !!bool !!null !!binary !!set !!omap !!timestamp !x !<x>
!!python/object:os.system !!python/name:os.system !!python/object/apply:os.system dataset: name:
train: test: format: libsvm base: features: propensity: method: methods: preset: label: model: rxml
rxml-paper sleec global local_embedding rank: learners: clusters: partition: kmeans neighbours:
count: cosine completion: start: random svp iterations: regression: ridge ridge: admm_l1 vote:
power: seed: seeds: splits: metrics: k: psndcg: matlab executor: backend: inline jobs: threads:
checkpoint: sweep: neighbours.count: vote.kind: kind: ../x /etc/passwd a/../b tolerance: solver:
dask slurm scheduler: tcp://h:8786 h:1 max_memory: 8G 1.5GiB 500M cluster: local partition: account:
qos: time: 6h 1d12h memory: closed_form gram storage: weights: embeddings: float16
task: datasets: metric_learning compressed_modes matrix_completion matrix_recovery corrupted: rows:
labels: observed: itml maxide svt euclidean line: mesh: modes-madmm gammas: ranks: robust_embedding
held_out: share: tune: low: high: log: true
"""
_LONG_AXIS = b"[" + b",".join(b"%d" % i for i in range(1, 200)) + b"]"
_TEXTS = (
    b" ", b"  ", b"\n", b"\r", b"\t", b"\x00", b"\x07", b"\x1b[31m", b"\x85", b"\xff", b"\xff\xfe",
    b"\xef\xbb\xbf", b"\xc2\x85", b"\xc2\xa0", b"\xe2\x80\xa8", b"\xed\xa0\x80",
    b"\xf0\x9f\x98\x80", b"---\n", b"...\n", b"%YAML 1.2\n---\n", b"%TAG ! tag:x,2000:\n---\n",
    b"%YAML " + b"1" * 5000, b'"\\ud800"', b'"\\U00110000"', b'"\\Uffffffff"', b'"\\x1b[2J"',
    b'"\\0"', b'"a\\nb": 1', b'"\\e": 1', b"{<<: {rank: 5}}", b"<<: *a", b"&a {x: *a}",
    b"&a [*a, *a]", b"? [a]\n: 1", b"? {a: b}", b"1: 2", b"9" * 25, b"9" * 5000, b"a" * 2000,
    b"a: &l0 [x]\nb: &l1 [*l0,*l0,*l0,*l0]\nc: &l2 [*l1,*l1,*l1,*l1]\n",
    b"[" * 60, b"{a: " * 60, b"- " * 60, b"[" * 3000, b"? " + b"k" * 2000 + b"\n: 1\n",
    b"sweep: {rank: [1, 2], learners: [1, 2, 3]}", b"sweep: {vote: [cosine]}", b"rank: [1, 2]",
    b"sweep: {rank: %b, learners: %b, clusters: %b}" % ((_LONG_AXIS,) * 3),
)  # fmt: skip
TOKENS: tuple[bytes, ...] = (*_WORDS.encode().split(), *_TEXTS)

# Small configs with every section, and the ones of the project without their comments.
SMALL = (
    b"dataset: {name: x}\nmethod: rxml\n",
    b"dataset: {train: a.svm, test: b.svm, format: libsvm, base: 1}\nmethod: {model: global}\n",
    b"dataset: {name: x, propensity: {a: 0.5, b: 1}}\nmethods:\n  - global\n"
    b"  - {preset: sleec, label: s, rank: 20, completion: {kind: released, iterations: 5}}\n"
    b"seed: 3\nsplits: [1, 2]\nmetrics: {k: [1, 2], psndcg: matlab}\n"
    b"executor: {backend: inline, jobs: 2, threads: 1}\n"
    b"sweep: {rank: [5, 10], vote.kind: [itml]}\n",
    b"dataset: &d {name: x}\nmethod: {preset: rxml-paper, partition: balanced, regression: "
    b"{kind: admm_l1, l1: 0.1, rho: 2, threshold: printed}, clusters: auto}\n",
    b"dataset: {name: x}\nmethods:\n  - {preset: omikuji-bonsai, cluster_k: 5, linear_loss: log}\n"
    b"  - {preset: ridge, ridge: 1, weights_per_label: 9}\n  - {preset: knn, power: 0.5}\n"
    b"  - {model: napkinxc, kind: br, loss: l2}\n  - {preset: pecos-xrlinear, Cp: 2}\n",
    b"dataset: {name: x}\nmethod: rxml\n"
    b"executor: {backend: dask, scheduler: h:1, max_memory: 8G}\n",
    b"dataset: {name: x}\nmethod: rxml\n"
    b"executor: {backend: slurm, jobs: 4, partition: p, time: 6h, account: a, memory: 4G}\n",
    b"datasets: [{name: x}, {name: y, corrupted: {rows: 5, labels: 3}}]\nmethod: maxide\n",
    b"dataset: {name: x, held_out: {share: 0.2, seed: 3}}\nmethods: [rxml, knn]\n"
    b"tune: {rank: [5, 10], vote.power: {low: 1, high: 8, log: true}, power: [1, 2]}\n",
    b"task: {kind: metric_learning, neighbours: 3}\ndatasets: [{name: uci/x}, {name: y}]\n"
    b"methods: [euclidean, {preset: itml, gammas: [0.1, 1], variant: printed}]\nseeds: [0, 1]\n",
    b"task: compressed_modes\ndataset: {line: 50, measure: 5}\n"
    b"methods: [{preset: modes-madmm, solver: trust_region}, modes-soc]\n",
    b"task: {kind: matrix_completion, observed: [10, 20]}\ndataset: {name: x}\n"
    b"methods: [svt, {preset: maxide, ranks: [5, 9]}]\nsweep: {tolerance: [0.1, 0.01]}\n",
)
LARGE = tuple(
    re.sub(rb"(?m)^ *#.*\n", b"", path.read_bytes())
    for path in sorted((ROOT / "configs").glob("*.yaml"))
)


def made(seed: int) -> bytes:
    """The file of a number."""
    rng = random.Random(seed)
    data = rng.choice(SMALL if rng.random() < 0.8 else LARGE)
    return mutate.damaged(rng, data, TOKENS)


# --- what a config may hold, written down a second time ------------------------------------------

Rule = Callable[[Any], bool]


def _whole(least: int) -> Rule:
    return lambda x: type(x) is int and x >= least


def _number(
    least: float = 0, above: bool = False, below: float = float("inf"), most: float = float("inf")
) -> Rule:
    def rule(x: Any) -> bool:
        if type(x) not in (int, float):
            return False
        return (least < x if above else least <= x) and x < below and x <= most

    return rule


def _word(*words: str) -> Rule:
    return lambda x: isinstance(x, str) and x in words


def _text(x: Any) -> bool:
    return isinstance(x, str) and x != "" and x.encode() is not None


def _matching(pattern: str) -> Rule:
    return lambda x: isinstance(x, str) and re.fullmatch(pattern, x) is not None


def _distinct(rule: Rule) -> Rule:
    return lambda x: isinstance(x, list) and x != [] and all(map(rule, x)) and len(set(x)) == len(x)


def _keys(**rules: Rule) -> Rule:
    return lambda x: isinstance(x, dict) and all(k in rules and rules[k](x[k]) for k in x)


def _stage(kinds: str, **rules: Rule) -> Rule:
    kind = _word(*kinds.split())
    whole = _keys(kind=kind, **rules)
    return lambda x: kind(x) or whole(x)


def _or_none(rule: Rule) -> Rule:
    return lambda x: x is None or rule(x)


_START = {"start": _word("spectral", "random"), "beta": _word("polak_ribiere", "hestenes_stiefel"),
          "line_search": _word("exact", "armijo"), "tolerance": _number()}  # fmt: skip
_HEAD = {"label": _or_none(_text), "preset": _or_none(_text)}
LOCAL: dict[str, Rule] = {
    "model": _word("local_embedding"),
    "learners": _whole(1),
    "clusters": lambda x: x == "auto" or _whole(1)(x),
    "rank": _whole(1),
    "partition": _stage("kmeans spherical balanced", iterations=_whole(1)),
    "neighbours": _stage(
        "cosine inner",
        count=_whole(1),
        disjoint=_word("keep", "drop"),
        per_label=_or_none(_whole(1)),
    ),
    "completion": _stage(
        "riemannian_cg svp released madmm_l1 none",
        iterations=_whole(0),
        rho=_number(above=True),
        **_START,
    ),
    "regression": _stage(
        "ridge admm_l1",
        ridge=_number(above=True, most=1e9),
        l1=_number(),
        rho=_number(above=True),
        iterations=_whole(1),
        threshold=_word("printed", "exact"),
        weight_sparsity=_number(below=1),
        embedding_sparsity=_number(below=1),
    ),
    "vote": _stage(
        "cosine euclidean itml",
        neighbours=_whole(1),
        power=_number(most=32),
        gamma=_number(above=True),
    ),
    "head": _stage(
        "none squared_hinge ridge",
        scope=_word("all", "cluster"),
        ridge=_number(above=True, most=1e9),
        rounds=_whole(1),
        iterations=_whole(1),
        lift=_number(),
        threshold=_number(),
        weight=_number(most=1e6),
    ),
    "storage": _keys(weights=_word("float32", "float16"), embeddings=_word("float32", "float16")),
    "tail": _number(most=4),
}
GLOBAL: dict[str, Rule] = {
    "model": _word("global"),
    "rank": _whole(1),
    "ridge": _number(),
    "solver": _word("closed_form", "riemannian_cg"),
    "iterations": _whole(0),
    "preconditioner": _word("none", "gram"),
    **_START,
}
_POSITIVE = _number(above=True)
_DESCENT = {
    "penalties": _distinct(_number(above=True, most=1)),
    "growth": _number(1.01, most=100),
    "tolerance": _number(below=1),
    "iterations": _whole(1),
}
MAXIDE: dict[str, Rule] = {
    "model": _word("maxide"),
    **_DESCENT,
    "ranks": _distinct(_whole(1)),
    "labels": _word("identity", "correlation"),
    "label_rank": _whole(1),
    "weighting": _word("none", "singular_values"),
    "over_ranks": _word("best", "mean"),
}
SVT: dict[str, Rule] = {"model": _word("svt"), **_DESCENT}
MODELS: dict[str, dict[str, Rule]] = {
    "local_embedding": LOCAL,
    "global": GLOBAL,
    "one_vs_rest": {
        "model": _word("one_vs_rest"),
        "ridge": _number(above=True, most=1e9),
        "weights_per_label": _or_none(_whole(1)),
    },
    "feature_neighbours": {
        "model": _word("feature_neighbours"),
        "neighbours": _whole(1),
        "power": _number(most=32),
    },
    "omikuji": {
        "model": _word("omikuji"),
        "n_trees": _whole(1),
        "min_branch_size": _whole(2),
        "max_depth": _whole(1),
        "cluster_k": _whole(2),
        "cluster_balanced": lambda x: type(x) is bool,
        "cluster_eps": _number(above=True),
        "cluster_min_size": _whole(1),
        "collapse_every_n_layers": _whole(0),
        "centroid_threshold": _number(),
        "linear_loss": _word("hinge", "log"),
        "linear_c": _number(above=True),
        "linear_eps": _number(above=True),
        "linear_max_iter": _whole(1),
        "linear_weight_threshold": _number(),
        "beam_size": _whole(1),
        "max_sparse_density": _number(below=1),
    },
    "napkinxc": {
        "model": _word("napkinxc"),
        "kind": _word("plt", "br"),
        "arity": _whole(2),
        "max_leaves": _whole(2),
        "ensemble": _whole(1),
        "loss": _word("log", "l2"),
        "weights_threshold": _number(),
        "liblinear_c": _number(above=True),
        "liblinear_eps": _number(above=True),
        "liblinear_max_iter": _whole(1),
        "tree_search_type": _word("exact", "beam"),
        "beam_search_width": _whole(1),
    },
    "pecos": {
        "model": _word("pecos"),
        "nr_splits": _whole(2),
        "max_leaf_size": _whole(2),
        "kmeans_max_iter": _whole(1),
        "negative_sampling": _word("tfn", "man", "tfn+man"),
        "solver_type": _word("L2R_L2LOSS_SVC_DUAL", "L2R_LR_DUAL"),
        "Cp": _number(above=True),
        "Cn": _number(above=True),
        "bias": _number(above=True),
        "threshold": _number(),
        "beam_size": _whole(1),
    },
    "maxide": MAXIDE,
}
PRESETS = {
    "rxml": "local_embedding", "rxml-blend": "local_embedding",
    "rxml-paper": "local_embedding", "sleec": "local_embedding",
    "global": "global", "ridge": "one_vs_rest", "knn": "feature_neighbours",
    "omikuji-parabel": "omikuji", "omikuji-bonsai": "omikuji", "omikuji-attention": "omikuji",
    "napkinxc-plt": "napkinxc", "napkinxc-br": "napkinxc", "pecos-xrlinear": "pecos",
    "maxide": "maxide",
}  # fmt: skip


def _method(models: dict[str, dict[str, Rule]], presets: dict[str, str]) -> Rule:
    def rule(x: Any) -> bool:
        if isinstance(x, str):
            return x in presets
        if not isinstance(x, dict):
            return False
        model = presets.get(x.get("preset")) or x.get("model")
        return model in models and _keys(**_HEAD, **models[model])(x)

    return rule


def _sweep(models: dict[str, dict[str, Rule]]) -> Rule:
    def rule(x: Any) -> bool:
        if x is None:
            return True
        if not isinstance(x, dict):
            return False
        known = {k.split(".")[0] for k in x} <= set().union(*models.values())
        return known and all(isinstance(values, list) and values != [] for values in x.values())

    return rule


def _tune(models: dict[str, dict[str, Rule]]) -> Rule:
    number = _number(float("-inf"))
    span = _keys(low=number, high=number, log=lambda x: type(x) is bool)

    def rule(x: Any) -> bool:
        if x is None:
            return True
        if not isinstance(x, dict):
            return False
        known = {k.split(".")[0] for k in x} <= set().union(*models.values())
        return known and all(
            (isinstance(v, list) and v != [])
            or (isinstance(v, dict) and span(v) and {"low", "high"} <= set(v))
            for v in x.values()
        )

    return rule


def _seed(x: Any) -> bool:
    return type(x) is int and 0 <= x < 2**63


_EXECUTOR = _keys(
    backend=_word("loky", "inline", "dask", "slurm"),
    jobs=lambda x: type(x) is int and (x == -1 or x >= 1),
    threads=_whole(1),
    checkpoint=_word("auto", "always", "never"),
    max_memory=_or_none(_matching(r"\d+(\.\d+)?[KMGT](iB|B)?")),
    scheduler=_or_none(_matching(r"([a-z]+://)?[^/\s]+:\d{1,5}")),
    cluster=_word("slurm", "local"),
    partition=_or_none(_text),
    account=_or_none(_text),
    qos=_or_none(_text),
    time=_matching(r"(\d+d)?(\d+h)?(\d+m)?"),
    memory=_or_none(_matching(r"\d+[MGT]")),
)


def _executor(x: Any) -> bool:
    if not _EXECUTOR(x):
        return False
    backend = x.get("backend", "loky")
    slurm = {"cluster": "slurm", "time": "4h"} | dict.fromkeys(
        ("partition", "account", "qos", "memory")
    )
    if backend != "slurm" and any(x.get(key, usual) != usual for key, usual in slurm.items()):
        return False
    if backend != "dask" and x.get("scheduler") is not None:
        return False
    return (backend != "dask" or x.get("scheduler") is not None) and (
        backend != "slurm" or x.get("jobs", -1) >= 1
    )


DATASET = _keys(
    name=_or_none(_text),
    train=_or_none(_text),
    test=_or_none(_text),
    format=_word("xc", "libsvm"),
    base=_or_none(lambda x: type(x) is int and x in (0, 1)),
    features=_word("unit", "tfidf", "raw"),
    propensity=_or_none(lambda x: _keys(a=_POSITIVE, b=_number())(x) and set(x) == {"a", "b"}),
    corrupted=_or_none(
        lambda x: (
            _keys(rows=_number(above=True, most=100), labels=_whole(1), seed=_seed)(x)
            and {"rows", "labels"} <= set(x)
        )
    ),
    held_out=_or_none(_keys(share=_number(above=True, below=1), seed=_seed)),
)


def _file(
    kind: str,
    dataset: Rule,
    models: dict[str, dict[str, Rule]],
    presets: dict[str, str],
    task: dict[str, Rule],
    **more: Rule,
) -> Rule:
    method, word = _method(models, presets), _word(kind)
    whole = _keys(kind=word, **task)
    return _keys(
        task=lambda x: word(x) or (whole(x) and "kind" in x),
        dataset=dataset,
        datasets=lambda x: isinstance(x, list) and x != [] and all(map(dataset, x)),
        method=method,
        methods=lambda x: isinstance(x, list) and x != [] and all(map(method, x)),
        seed=_seed,
        seeds=_or_none(_distinct(_seed)),
        executor=_executor,
        sweep=_sweep(models),
        tune=_tune(models),
        **more,
    )


_PERCENT = _number(most=100)
_INSIDE = _number(above=True, below=100)
_PRIOR = _word("identity", "inverse_covariance")
_GAMMAS = _distinct(_number(1e-9, most=1e9))
_STEPS = {"iterations": _whole(1), "absolute": _number(), "relative": _number()}
_START_AT = {"start": _word("procrustes", "identity"), "iterations": _whole(1)}
_SOLVERS = ("conjugate_gradient", "steepest_descent")
# Kind of task: its dataset, models, presets and protocol.
TASKS: dict[str, tuple[Rule, dict[str, dict[str, Rule]], dict[str, str], dict[str, Rule]]] = {
    "metric_learning": (
        _keys(name=_matching(r"(?=.{1,100}$)[A-Za-z0-9_][A-Za-z0-9._+=-]*(/[A-Za-z0-9_][A-Za-z0-9._+=-]*)*")),
        {
            "fixed_metric": {"model": _word("fixed_metric"), "metric": _PRIOR},
            "itml": {
                "model": _word("itml"),
                "prior": _PRIOR,
                "variant": _word("exact", "released", "printed"),
                "pairs": _whole(1),
                "classes": _word("squared", "distinct"),
                "bounds": _word("percentiles", "histogram"),
                "gammas": _GAMMAS,
                "projections": _whole(1),
                "tolerance": _POSITIVE,
            },
            "metric_learn": {
                "model": _word("metric_learn"),
                "prior": _word("identity", "covariance"),
                "gammas": _GAMMAS,
                "max_iter": _whole(1),
                "tol": _POSITIVE,
            },
        },
        {
            "euclidean": "fixed_metric", "inverse-covariance": "fixed_metric", "itml": "itml",
            "itml-covariance": "itml", "itml-released": "itml", "metric-learn": "metric_learn",
        },
        {"neighbours": _whole(1), "standardise": lambda x: type(x) is bool},
    ),
    "compressed_modes": (
        _keys(line=_or_none(_whole(2)), mesh=_or_none(_text), measure=_POSITIVE),
        {
            "modes_madmm": {
                "model": _word("modes_madmm"),
                "rho": _POSITIVE,
                "inner_iterations": _whole(1),
                "solver": _word(*_SOLVERS, "preconditioned_conjugate_gradient", "trust_region"),
                **_STEPS,
            },
            "modes_soc": {
                "model": _word("modes_soc"),
                "rho": _POSITIVE,
                "orthogonal_rho": _POSITIVE,
                **_STEPS,
            },
            "modes_neumann": {
                "model": _word("modes_neumann"),
                "rho": _POSITIVE,
                "adapt": lambda x: type(x) is bool,
                **_STEPS,
            },
        },
        {
            **{f"modes-{name}": f"modes_{name}" for name in ("madmm", "soc", "neumann")},
            "modes-madmm-paper": "modes_madmm",
        },
        {"modes": _whole(1), "mu": _POSITIVE},
    ),
    "functional_correspondence": (
        _keys(mesh=_text, shapes=_whole(2), deformation=_number(most=2)),
        {
            "correspondence_madmm": {
                "model": _word("correspondence_madmm"),
                "rho": _POSITIVE,
                "inner_iterations": _whole(1),
                "tolerance": _number(),
                **_START_AT,
            },
            "correspondence_least_squares": {
                "model": _word("correspondence_least_squares"),
                "mu": _or_none(_number()),
                **_START_AT,
            },
            "correspondence_smoothed": {
                "model": _word("correspondence_smoothed"),
                "epsilon": _POSITIVE,
                **_START_AT,
            },
        },
        {
            "correspondence-madmm": "correspondence_madmm",
            "correspondence-least-squares": "correspondence_least_squares",
            "correspondence-smoothed": "correspondence_smoothed",
        },
        {
            "basis": _whole(2),
            "functions": _whole(1),
            "outliers": _distinct(_PERCENT),
            "diffusion": _number(),
            "mu": _number(),
            "points": _whole(1),
        },
    ),
    "robust_embedding": (
        _keys(
            name=_matching(r"[A-Za-z0-9_][A-Za-z0-9._+=-]{0,59}"),
            rows=_whole(4),
            distances=_word("planar", "geodesic"),
        ),
        {
            "embedding_madmm": {
                "model": _word("embedding_madmm"),
                "rho": _number(1e-2, most=1e3),
                "iterations": _whole(1),
                "inner_iterations": _whole(1),
                "solver": _word(*_SOLVERS),
                "tolerance": _number(),
            },
            "embedding_classical_mds": {"model": _word("embedding_classical_mds")},
            "embedding_subgradient": {
                "model": _word("embedding_subgradient"),
                "step": _number(1e-6, most=100),
                "iterations": _whole(1),
            },
        },
        {
            "embedding-madmm": "embedding_madmm", "embedding-madmm-paper": "embedding_madmm",
            "embedding-classical-mds": "embedding_classical_mds",
            "embedding-subgradient": "embedding_subgradient",
        },
        {"doubled": _distinct(_PERCENT), "doubling": _word("squared", "plain")},
    ),
    "matrix_completion": (
        DATASET,
        {
            "maxide": MAXIDE,
            "svt": SVT,
            "binary_relevance": {
                "model": _word("binary_relevance"),
                "loss": _word("squared", "squared_hinge"),
                "penalties": _distinct(_number(above=True, most=1e9)),
                "rounds": _whole(1),
                "iterations": _whole(1),
            },
        },
        {
            "maxide": "maxide", "maxide-averaged": "maxide", "svt": "svt",
            "binary-relevance": "binary_relevance",
        },
        {"observed": _distinct(_INSIDE), "folds": _whole(2)},
    ),
    "matrix_recovery": (
        _keys(rows=_whole(1), columns=_whole(1), rank=_whole(1), side=_whole(1)),
        {"maxide": MAXIDE, "svt": SVT},
        {"maxide": "maxide", "svt": "svt"},
        {
            "observed": _distinct(_INSIDE),
            "decay": _number(above=True, below=1),
            "fit": _POSITIVE,
            "tolerance": _POSITIVE,
            "iterations": _whole(1),
            "recovered": _POSITIVE,
        },
    ),
}  # fmt: skip
FILES = {kind: _file(kind, *rules) for kind, rules in TASKS.items()} | {
    "xc": _file(
        "xc", DATASET, MODELS, PRESETS, {},
        splits=_distinct(_whole(1)),
        metrics=_keys(k=_distinct(_whole(1)), psndcg=_word("pyxclib", "matlab")),
    )
}  # fmt: skip


def FILE(x: Any) -> bool:
    """Whether the schema has a place for everything that a file says."""
    if not isinstance(x, dict):
        return False
    task = x.get("task", "xc")
    kind = task.get("kind") if isinstance(task, dict) else task
    return isinstance(kind, str) and kind in FILES and FILES[kind](x)


def values_of(node: yaml.Node) -> Any:
    """The plain values of a YAML tree by the rules of the README; the slow and obvious way."""
    if isinstance(node, yaml.MappingNode):
        pairs = [(key.value, values_of(value)) for key, value in node.value]
        assert len({key for key, _ in pairs}) == len(pairs), "a key twice"
        return dict(pairs)
    if isinstance(node, yaml.SequenceNode):
        return [values_of(item) for item in node.value]
    text = node.value
    if node.tag != "tag:yaml.org,2002:str" and node.style is not None:
        return ...  # a tag of its own: not for this oracle
    if node.style is not None:
        return text
    if text in ("true", "True", "TRUE", "false", "False", "FALSE"):
        return text.lower() == "true"
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if re.fullmatch(r"[-+]?[0-9]+", text):
        return int(text)
    if re.fullmatch(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?", text):
        return float(text)
    return text


# --- the property --------------------------------------------------------------------------------


def wrong(data: bytes, path: Path) -> str | None:
    """What is wrong with how the loader takes a file, or None."""
    path.write_bytes(data)
    try:
        config = load_config(path)
    except ConfigError as error:
        return _misworded(str(error), str(path))
    return _accepted_wrongly(config, data)


def _misworded(message: str, path: str) -> str | None:
    for line in message.split("\n"):
        place = line.removeprefix(path)
        if place == line or not re.match(r":[1-9][0-9]*: .|: \S", place):
            return f"a line names no file and line: {message!r}"
        if len(place) > LONGEST_LINE or not place.isprintable():
            return f"a line is long or not printable: {message!r}"
        if re.match(r": ", place) and not re.match(FILE_AS_A_WHOLE, place):
            return f"a defect of a line names none: {message!r}"
    return None


# What is wrong with a whole file and not with a line of it.
FILE_AS_A_WHOLE = (
    r": (holds|methods: is missing|dataset: is missing|is larger than |and \d+ defects more$)"
)


def _accepted_wrongly(config: Config, data: bytes) -> str | None:
    text = data.decode("utf-8-sig")
    read = parse(text, "f.yaml").value
    if not FILE(read):
        return f"accepted, but the schema has no place for it: {read}"
    tree = yaml.compose(text, Loader=yaml.BaseLoader)
    if "!" not in text and values_of(tree) != read:
        return f"read {read}, but it says {values_of(tree)}"
    written = dump(config.mapping())
    written.encode()
    if load_document(parse(written, "again.yaml"), "again.yaml") != config:
        return f"does not read back equal: {written}"
    return None


def check(seed: int) -> str | None:
    """Run one file by its number."""
    data = made(seed)
    failure = wrong(data, scratch_file())
    return None if failure is None else f"{failure}\n  {data!r}"


def scratch_file() -> Path:
    """One file in memory for all runs of this process."""
    folder = Path("/dev/shm") if Path("/dev/shm").is_dir() else Path("/tmp")
    return folder / f"xcbench-fuzz-{os.getpid()}.yaml"


if __name__ == "__main__":
    try:
        main("the config loader", check)
    finally:
        scratch_file().unlink(missing_ok=True)
