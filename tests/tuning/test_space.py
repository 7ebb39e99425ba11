"""Search spaces and their points."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from tests.tuning.conftest import search_of
from xcbench.config.loader import load_document
from xcbench.config.presets import PRESETS
from xcbench.config.tuning import Choices, Range
from xcbench.config.yaml import dump, parse
from xcbench.data.dataset import Dataset
from xcbench.errors import ConfigError
from xcbench.models import make_model
from xcbench.runner.plan import impossible_values
from xcbench.tasks.base import Sizes
from xcbench.tuning.space import at_point, fitting, point_of, space_of, usual_space

PEERS = ("omikuji", "napkinxc", "pecos")
OURS = [name for name, raw in PRESETS.items() if raw["model"] not in PEERS]


def method_of(text):
    config = load_document(parse(f"dataset: {{name: x}}\nmethod: {text}", "f"), "f")
    return config.methods[0]


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_has_a_usual_space_that_a_config_can_hold(preset):
    space = usual_space(method_of(preset).settings)
    assert space
    block = dump({"tune": {key: span.mapping() for key, span in space.items()}})
    text = f"dataset: {{name: x}}\nmethod: {preset}\n{block}"
    assert load_document(parse(text, "f"), "f").tune == space


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("n", [12, 300, 100_000])
def test_no_value_of_a_usual_space_is_impossible(preset, n):
    (job,) = load_document(parse(f"dataset: {{name: x}}\nmethod: {preset}", "f"), "f").jobs()
    sizes, settings = Sizes(n, 9, n // 2, n // 2), job.method.settings
    for key, span in fitting(usual_space(settings), settings, sizes).items():
        for value in span.bounds():
            changed = replace(job, method=at_point(job.method, {key: value}))
            assert list(impossible_values(changed, sizes)) == []


@pytest.mark.parametrize("preset", OURS)
def test_every_choice_of_a_usual_space_can_be_fitted(preset):
    """A model may refuse here what its settings have for another task."""
    method, rng = method_of(preset), np.random.default_rng(0)
    X, Y = (
        sparse.csr_array(rng.random((12, 5), np.float32)),
        sparse.eye_array(12, 6, format="csr"),
    )
    train = Dataset(X, Y.astype(np.float32))
    for key, span in usual_space(method.settings).items():
        for value in span.values if isinstance(span, Choices) else ():
            make_model(at_point(method, {key: value}).settings, 0).fit(train)


def test_a_usual_space_has_only_keys_that_count():
    assert "vote.power" in usual_space(method_of("rxml").settings)
    assert "vote.power" not in usual_space(method_of("sleec").settings)
    assert "head.weight" not in usual_space(method_of("rxml").settings)
    assert "head.weight" in usual_space(method_of("rxml-blend").settings)


def test_a_usual_space_is_cut_down_to_the_data_and_keeps_what_the_method_has():
    settings = method_of("global").settings
    space = fitting(usual_space(settings), settings, Sizes(5000, 9, 900, 120))
    assert space["rank"] == Choices((50, 100, 150))
    settings = method_of("rxml").settings
    space = fitting(usual_space(settings), settings, Sizes(60, 9, 900, 120))
    assert space["rank"] == Choices((50, 100))
    assert space["vote.neighbours"] == Range(low=5, high=60, log=True)
    assert space["regression.ridge"] == usual_space(settings)["regression.ridge"]


def test_the_space_of_a_config_is_that_of_the_keys_a_method_has():
    given = {"rank": Choices((5, 9)), "power": Range(low=1, high=9)}
    assert set(space_of(method_of("knn"), given)) == {"power"}
    with pytest.raises(ConfigError, match="ridge has none of the keys rank, power"):
        space_of(method_of("ridge"), given)


def space_given(block, method="rxml"):
    text = f"dataset: {{name: x}}\nmethod: {method}\n{block}"
    return load_document(parse(text, "f"), "f").tune


def test_a_word_for_a_stage_is_short_for_its_kind():
    space = space_given("tune: {completion: [svp, released]}")
    assert space == {"completion.kind": Choices(("svp", "released"))}
    assert search_of("dataset: {name: x}\nmethod: rxml\ntune: {vote: [cosine, itml]}").start == {
        "vote.kind": "cosine"
    }


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ("tune:\n  vote: [{kind: euclidean}]", "f:4: tune.vote: holds settings of its own; exp"),
        ("tune: {vote: {low: 1, high: 2}}", "f:3: tune.vote: .* one of vote.kind, vote.neighb"),
        ("tune: {storage: [float16]}", "f:3: tune.storage: .* one of storage.weights, storage.e"),
        ("tune: {vote: [itml], vote.kind: [cosine]}", "f:3: tune.vote.kind: .* given twice"),
        ("tune: {vote: [euclidian]}", "f:3: tune.vote: .*did you mean 'euclidean'"),
    ],
)
def test_settings_of_a_stage_are_no_values(block, said):
    with pytest.raises(ConfigError, match=said):
        space_given(block)


def test_a_method_keeps_out_of_a_value_that_is_a_stage_of_its_own():
    text = "dataset: {name: x}\nmethods: [rxml, knn]\ntune: {neighbours: [5, 9]}"
    assert search_of(text, "knn").space == {"neighbours": Choices((5, 9))}
    with pytest.raises(ConfigError, match="rxml has none of the keys neighbours"):
        search_of(text, "rxml")


def test_a_point_is_written_into_the_settings_and_read_off_again():
    method = method_of("{preset: rxml, label: mine}")
    point = {"rank": 7, "vote.neighbours": 3, "vote.kind": "euclidean"}
    changed = at_point(method, point)
    assert point_of(changed.settings, dict.fromkeys(point, Choices((1,)))) == point
    assert (changed.label, changed.preset) == ("mine", "rxml")
    assert changed.settings.vote.power == method.settings.vote.power
    assert at_point(method, point_of(method.settings, usual_space(method.settings))) == method


def test_values_that_do_not_go_together_are_a_config_error():
    with pytest.raises(ConfigError, match="kind svp needs iterations of at least 1"):
        at_point(method_of("sleec"), {"completion.iterations": 0})


def test_a_search_holds_out_training_rows_of_one_job():
    search = search_of(held_out=None)
    assert search.job.dataset.held_out.share == 0.1
    assert search.start == {"neighbours": 5, "power": 2.0}
    with pytest.raises(ConfigError, match="2 methods; choose one with --method: rxml, knn"):
        search_of("dataset: {name: x}\nmethods: [rxml, knn]")
    assert search_of("dataset: {name: x}\nmethods: [rxml, knn]", "knn").job.method.label == "knn"
    with pytest.raises(ConfigError, match="did you mean 'rxml'"):
        search_of("dataset: {name: x}\nmethods: [rxml, knn]", "rxlm")
    with pytest.raises(ConfigError, match="several datasets and seeds; a search is of one"):
        search_of("datasets: [{name: x}, {name: y}]\nmethod: knn\nseeds: [1, 2]")
    with pytest.raises(ConfigError, match=r"expected one of P@1, .*did you mean"):
        search_of(objective="P@4")
    with pytest.raises(ConfigError, match="task matrix_recovery cannot be tuned"):
        search_of(
            "task: matrix_recovery\ndataset: {rows: 9, columns: 9, rank: 2, side: 3}\nmethod: svt"
        )
