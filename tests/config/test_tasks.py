"""Configs of other tasks than extreme classification."""

import pytest

from xcbench.config.loader import load_document
from xcbench.config.schema import XC_TASK
from xcbench.config.tasks import SCHEMAS
from xcbench.config.yaml import dump, parse
from xcbench.errors import ConfigError

TABLES = "task: metric_learning\ndatasets: [{name: uci/wine}, {name: uci/iris}]\n"


def load(text, *overrides):
    return load_document(parse(text, "f.yaml"), "f.yaml", overrides)


def errors(text, *overrides):
    with pytest.raises(ConfigError) as caught:
        load(text, *overrides)
    return str(caught.value).split("\n")


def test_every_dataset_is_run_with_every_method_from_every_seed():
    jobs = load(TABLES + "methods: [euclidean, itml]\nseeds: [3, 4]").jobs()
    assert [(job.dataset.name, job.seed, job.method.label) for job in jobs] == [
        (name, seed, method)
        for name in ("uci/wine", "uci/iris")
        for seed in (3, 4)
        for method in ("euclidean", "itml")
    ]


def test_a_job_reads_back_to_itself():
    for job in load(TABLES + "methods: [euclidean, itml, metric-learn]").jobs():
        (again,) = load(dump(job.mapping())).jobs()
        assert again == job


def test_a_config_of_several_datasets_reads_back_equal():
    config = load(TABLES + "methods: [euclidean]\nseed: 5")
    assert load(dump(config.mapping())) == config
    config = load("datasets: [{name: a}, {name: b, features: raw}]\nmethods: [rxml]")
    assert load(dump(config.mapping())) == config


def test_a_config_without_a_task_is_extreme_classification_and_says_nothing_of_it():
    named = load("task: xc\ndataset: {name: x}\nmethod: rxml")
    plain = load("dataset: {name: x}\nmethod: rxml")
    assert named == plain
    assert plain.body.task == XC_TASK
    assert "task" not in plain.mapping()
    assert "task" not in plain.jobs()[0].mapping()


def test_a_list_of_the_protocol_gives_a_job_for_each_of_its_values():
    text = "task: {kind: functional_correspondence, outliers: [0, 16]}\n"
    text += "dataset: {mesh: m, shapes: 2}\nmethod: correspondence-madmm"
    jobs = load(text).jobs()
    assert [job.task.outliers for job in jobs] == [(0.0,), (16.0,)]
    (again,) = load(dump(jobs[1].mapping())).jobs()
    assert again == jobs[1]


def test_an_unknown_task_is_the_only_thing_said():
    assert errors("task: metric_learnin\ndataset: {nme: x}\nmethods: [itml]") == [
        f"f.yaml:1: task: found 'metric_learnin'; expected one of {', '.join(SCHEMAS)}; "
        "did you mean 'metric_learning'?"
    ]
    assert errors("task: {neighbours: 3}\ndataset: {name: x}\nmethods: [itml]") == [
        "f.yaml:1: task.kind: is missing"
    ]
    assert errors("task: [x]\ndataset: {name: x}\nmethods: [itml]")[0].startswith(
        "f.yaml:1: task: found a list; expected one of xc, "
    )


def test_methods_of_other_tasks_are_refused_by_name():
    assert errors(TABLES + "methods: [rxml, {model: global}]") == [
        "f.yaml:3: methods.0.preset: found 'rxml', a preset of task xc; the task here is "
        "metric_learning",
        "f.yaml:3: methods.1.model: found 'global', a model of task xc; the task here is "
        "metric_learning",
    ]


def test_keys_of_extreme_classification_are_refused_elsewhere():
    found = errors(TABLES + "methods: [itml]\nsplits: [1]\nmetrics: {k: [1]}")
    assert found == [
        f"f.yaml:{line}: {key}: task metric_learning has no {key}; they are of task xc"
        for line, key in ((4, "splits"), (5, "metrics"))
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("method: itml", "f.yaml: dataset: is missing"),
        (
            "dataset: {name: a}\ndatasets: [{name: b}]\nmethod: itml",
            "f.yaml:3: datasets: give either dataset or datasets, not both",
        ),
        ("dataset:\nmethod: itml", "f.yaml:2: dataset: found nothing; expected a mapping"),
        (
            "datasets:\nmethod: itml",
            "f.yaml:2: datasets: found nothing; expected a list of mappings",
        ),
        ("datasets: []\nmethod: itml", "f.yaml:2: datasets: give at least one value"),
        (
            "datasets: [{name: a}, {name: a}]\nmethod: itml",
            "f.yaml:2: datasets: the value 'a' is given twice",
        ),
        (
            "datasets: [wine]\nmethod: itml",
            "f.yaml:2: datasets.0: found 'wine'; expected a mapping; did you mean {name: wine}?",
        ),
        (
            "datasets: [{name: a, nme: b}]\nmethod: itml",
            "f.yaml:2: datasets.0.nme: unknown key 'nme'; did you mean 'name'?",
        ),
    ],
)
def test_defects_of_datasets_are_named(text, message):
    assert errors("task: metric_learning\n" + text) == [message]


def test_set_reaches_every_dataset_and_replaces_either_form():
    config = load("datasets: [{name: a}, {name: b}]\nmethod: rxml", "dataset.features=raw")
    assert [dataset.features for dataset in config.body.datasets] == ["raw", "raw"]
    config = load(
        "datasets: [{name: a}, {name: b}]\nmethod: rxml", "dataset={name: c}", "seeds=[1]"
    )
    assert [job.dataset.name for job in config.jobs()] == ["c"]
    config = load(TABLES + "method: itml", "task.neighbours=7")
    assert config.body.task.neighbours == 7


@pytest.mark.parametrize(
    "override", ["task.doubled=[101]", "task={kind: robust_embedding, doubled: [101]}"]
)
def test_an_item_of_a_list_that_set_wrote_is_blamed_on_the_set(override):
    text = "task: {kind: robust_embedding, doubled: [5, 7]}\ndataset: {}\nmethod: embedding-madmm"
    assert errors(text, override) == [
        f"--set {override}: task.doubled.0: found 101; expected at most 100.0"
    ]


def test_a_later_set_that_replaces_an_earlier_one_gets_the_blame():
    text = TABLES + "methods: [euclidean, itml]"
    (found,) = errors(text, "methods.1.pairs=3", "methods=[itml, {preset: itml, pairs: 0}]")
    assert found.startswith("--set methods=[itml, ")


def test_a_set_that_makes_datasets_equal_is_told_which():
    assert errors(TABLES + "method: itml", "dataset.name=uci/one") == [
        "--set dataset.name=uci/one: datasets: the value 'uci-one' is given twice"
    ]


def test_of_too_many_values_of_the_protocol_its_key_is_told():
    values = ", ".join(f"{0.005 * value:g}" for value in range(1, 20_000))
    text = f"task: {{kind: robust_embedding, doubled: [{values}]}}\n"
    assert errors(text + "dataset: {}\nmethod: embedding-madmm") == [
        "f.yaml:1: task.doubled: 1 splits of 1 methods with 19999 values of task.doubled; expected "
        "a config of at most 10000 jobs"
    ]


def test_a_name_means_the_same_method_in_every_task():
    meant = {}
    for schema in SCHEMAS.values():
        for name, preset in schema.presets.items():
            method = schema.models[preset["model"]].model_validate(preset)
            assert meant.setdefault(name, method) == method, (schema.kind, name)
    shared = [name for name in meant if sum(name in s.presets for s in SCHEMAS.values()) > 1]
    assert shared  # or this test says nothing


def test_a_model_is_the_same_type_in_every_task():
    types = {}
    for schema in SCHEMAS.values():
        for name, model in schema.models.items():
            assert types.setdefault(name, model) is model, (schema.kind, name)
