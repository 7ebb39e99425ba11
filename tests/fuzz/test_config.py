"""The config loader on a fixed sample of damaged files, and the oracle on planted mistakes."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.fuzz import config
from tests.fuzz.campaign import failure_of
from tests.fuzz.config import FILE, check, made, wrong
from xcbench.config.dataset import DatasetConfig, MetricsConfig
from xcbench.config.executor import ExecutorConfig
from xcbench.config.loader import load_config
from xcbench.config.tasks import SCHEMAS
from xcbench.errors import ConfigError

N_SAMPLED = 300


@pytest.fixture
def path(tmp_path):
    return tmp_path / "f.yaml"


@pytest.mark.parametrize("start", range(0, N_SAMPLED, 100))
def test_a_damaged_config_is_a_config_or_a_config_error_with_its_line(start):
    failures = [failure_of(check, number) for number in range(start, start + 100)]
    assert [failure for failure in failures if failure] == []


def test_every_config_the_sample_starts_from_is_accepted(path):
    for data in (*config.SMALL, *config.LARGE):
        path.write_bytes(data)
        load_config(path)
        assert wrong(data, path) is None


def test_the_sample_has_both_sound_and_damaged_files(path):
    accepted = 0
    for number in range(100):
        path.write_bytes(made(number))
        try:
            load_config(path)
        except ConfigError:
            continue
        accepted += 1
    assert 5 < accepted < 50


def test_the_schema_of_the_oracle_has_the_keys_of_the_real_one():
    for model, key in (
        (DatasetConfig, "dataset"), (MetricsConfig, "metrics"), (ExecutorConfig, "executor"),
    ):  # fmt: skip
        for field in model.model_fields:
            assert not FILE({key: {field + "x": 1}})
    assert set(config.TASKS) | {"xc"} == set(SCHEMAS)
    xc = (config.DATASET, config.MODELS, config.PRESETS, {})
    for kind, (_, models, presets, task) in (config.TASKS | {"xc": xc}).items():
        schema = SCHEMAS[kind]
        assert set(models) == set(schema.models)
        for model, rules in models.items():
            assert set(rules) == set(schema.models[model].model_fields)
        assert {name: preset["model"] for name, preset in schema.presets.items()} == presets
        assert set(task) | {"kind"} == set(schema.task.model_fields)


@pytest.mark.parametrize(
    "text",
    [
        "dataset: {name: x, extra: 1}\nmethod: rxml",
        "dataset: {name: x}\nmethod: {preset: rxml, rank: '5'}",
        "dataset: {name: x}\nmethod: {preset: rxml, rank: true}",
        "dataset: {name: x}\nmethod: {preset: global, vote: cosine}",
        "dataset: {name: x}\nmethod: rxml\nseed: -1",
        "dataset: {name: x}\nmethod: rxml\nsweep: {rnak: [1]}",
    ],
)
def test_a_loader_that_lets_a_wrong_key_or_type_pass_is_told(text, path, monkeypatch):
    assert wrong(text.encode(), path) is None  # a ConfigError, as it should be
    path.write_bytes(config.SMALL[0])
    sound = load_config(path)
    monkeypatch.setattr(config, "load_config", lambda path: sound)
    assert "accepted, but the schema has no place for it" in wrong(text.encode(), path)


def test_the_campaign_says_how_many_inputs_passed():
    command = [sys.executable, "-m", "tests.fuzz.config", "--runs", "3", "--first", "7"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=config.ROOT, check=True)
    assert re.fullmatch(
        r"the config loader: 3 inputs in \d+ s \(\d+ a second\), 0 failures\n", done.stdout
    )


def test_a_message_without_its_line_is_told(path, monkeypatch):
    def refuse(path):
        raise ConfigError(f"{path}: something is wrong")

    monkeypatch.setattr(config, "load_config", refuse)
    assert "names none" in wrong(b"x", path)


@pytest.fixture(autouse=True, scope="module")
def no_scratch_file_stays():
    yield
    config.scratch_file().unlink(missing_ok=True)
