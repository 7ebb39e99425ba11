"""Configs with comments: they say everything, and nothing but the truth."""

from __future__ import annotations

import pytest

from xcbench.config.commented import commented, values_taken
from xcbench.config.dataset import DatasetConfig, MetricsConfig
from xcbench.config.executor import ExecutorConfig
from xcbench.config.loader import load_document
from xcbench.config.methods import HeadSettings, LocalEmbeddingSettings
from xcbench.config.peers import OmikujiSettings
from xcbench.config.presets import PRESETS
from xcbench.config.problems import inner_model
from xcbench.config.schema import ConfigBody
from xcbench.config.tasks import XC
from xcbench.config.yaml import parse


def load(text):
    return load_document(parse(text, "f"), "f")


def undescribed(model):
    for key, field in model.model_fields.items():
        if not field.description:
            yield f"{model.__name__}.{key}"
        if (inner := inner_model(model, key)) is not None:
            yield from undescribed(inner)


@pytest.mark.parametrize(
    "model", [*XC.models.values(), DatasetConfig, MetricsConfig, ExecutorConfig]
)
def test_every_key_says_in_one_line_what_it_does(model):
    assert list(undescribed(model)) == []
    for field in model.model_fields.values():
        assert "\n" not in field.description
        assert not field.description.endswith(".")


@pytest.mark.parametrize("preset", PRESETS)
def test_a_config_with_every_value_means_the_same_as_the_short_one(preset):
    short = load(f"dataset: {{name: x, features: tfidf}}\nmethod: {preset}")
    text = commented(DatasetConfig(name="x", features="tfidf"), short.methods, ["a note"])
    assert load(text) == short


def test_several_methods_are_a_list():
    short = load("dataset: {name: x}\nmethods: [rxml, {preset: knn, label: k, power: 3}]")
    assert load(commented(DatasetConfig(name="x"), short.methods)) == short


def test_what_is_commented_out_can_be_used_as_it_stands():
    """Of every key without a value there is an example that its own check takes."""
    for model in (DatasetConfig, ExecutorConfig):
        for key, field in model.model_fields.items():
            for example in field.examples or ():
                more = {
                    "train": {"test": "t"}, "test": {"train": "t"},
                    "base": {"format": "libsvm", "train": "a", "test": "b"},
                }.get(key, {"name": "x"}) if model is DatasetConfig else {
                    "scheduler": {"backend": "dask"}, "max_memory": {},
                }.get(key, {"backend": "slurm", "jobs": 1})  # fmt: skip
                model.model_validate({key: example} | more)


@pytest.mark.parametrize(
    ("model", "key", "words"),
    [
        (LocalEmbeddingSettings, "clusters", "whole number >= 1 or auto"),
        (LocalEmbeddingSettings, "rank", "whole number >= 1"),
        (LocalEmbeddingSettings, "vote", ""),
        (LocalEmbeddingSettings, "tail", "number >= 0, <= 4"),
        (HeadSettings, "kind", "none | squared_hinge | ridge"),
        (OmikujiSettings, "cluster_balanced", "true | false"),
        (OmikujiSettings, "max_sparse_density", "number >= 0, < 1"),
        (ConfigBody, "seed", "whole number >= 0"),
        (MetricsConfig, "k", "list of whole number >= 1"),
        (ExecutorConfig, "max_memory", "text"),
    ],
)
def test_what_a_key_takes_is_said_as_its_type_has_it(model, key, words):
    assert values_taken(model, key) == words
