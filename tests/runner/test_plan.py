"""Identity: what makes a run another run, and what does not."""

import pytest

from xcbench.config.loader import load_document
from xcbench.config.yaml import parse
from xcbench.runner import plan as plan_module
from xcbench.runner.plan import plan
from xcbench.tasks.base import Sizes

BASE = "dataset: {name: tiny}\nmethod: {preset: rxml, rank: 5}\n"


def run_ids(data_root, text, *overrides):
    config = load_document(parse(text, "f"), "f", overrides)
    return [job.run_id for job in plan([config], data_root).jobs]


def test_a_run_id_is_dataset_label_and_eight_digits(tiny_data):
    (run_id,) = run_ids(tiny_data, BASE)
    dataset, name = run_id.split("/")
    label, digits = name.rsplit("-", 1)
    assert (dataset, label, len(digits)) == ("tiny", "rxml", 8)
    assert run_ids(tiny_data, BASE) == [run_id]


@pytest.mark.parametrize(
    "override",
    ["seed=1", "method.rank=6", "method.label=x", "dataset.features=raw", "metrics.k=[1]",
     "metrics.psndcg=matlab", "dataset.propensity={a: 0.5, b: 0.4}", "method.vote.power=1"],
)  # fmt: skip
def test_whatever_may_change_the_result_changes_the_identity(tiny_data, override):
    assert run_ids(tiny_data, BASE) != run_ids(tiny_data, BASE, override)


@pytest.mark.parametrize(
    "override", ["executor.jobs=1", "executor.threads=2", "executor.backend=inline", "splits=[1]"]
)
def test_execution_settings_and_written_out_defaults_do_not(tiny_data, override):
    assert run_ids(tiny_data, BASE) == run_ids(tiny_data, BASE, override)


def test_other_data_under_the_same_name_is_another_run(tiny_data):
    before = run_ids(tiny_data, BASE)
    path = tiny_data / "tiny" / "train.txt"
    path.write_text(path.read_text().replace("0,1 ", "0 ", 1))
    assert run_ids(tiny_data, BASE) != before


def test_a_new_results_version_repeats_everything(tiny_data, monkeypatch):
    before = run_ids(tiny_data, BASE)
    monkeypatch.setattr(plan_module, "RESULTS_VERSION", 99)
    assert run_ids(tiny_data, BASE) != before


@pytest.mark.parametrize(
    ("method", "version"),
    [
        ("rxml", 2), ("global", 2), ("{preset: rxml, completion: madmm_l1}", 3),
        ("{preset: rxml, vote: itml}", 3),
    ],
)  # fmt: skip
def test_only_jobs_whose_numbers_changed_are_of_the_latest_version(method, version):
    text = f"dataset: {{name: tiny}}\nmethod: {method}"
    (job,) = load_document(parse(text, "f"), "f").jobs()
    assert plan_module.results_version(job, Sizes(20, 5, 8, 6)) == version


@pytest.mark.parametrize(("method", "version"), [("ridge", 3), ("global", 3), ("rxml", 2)])
def test_linear_models_of_labels_never_seen_are_of_the_latest_version(method, version):
    text = f"dataset: {{name: tiny}}\nmethod: {method}"
    (job,) = load_document(parse(text, "f"), "f").jobs()
    assert plan_module.results_version(job, Sizes(20, 5, 8, 6, n_labels_unseen=1)) == version


def test_missing_data_is_kept_beside_the_jobs_that_can_run(tiny_data):
    good, bad = (
        load_document(parse(text, "f"), "f")
        for text in (BASE, "dataset: {name: atlantis}\nmethods: [rxml, sleec]")
    )
    made = plan([bad, good], tiny_data)
    assert len(made.jobs) == len(made.data_errors) == 1


def test_the_same_missing_data_is_told_of_once_however_many_configs_and_splits_want_it(
    tiny_data, caplog
):
    texts = (
        "dataset: {name: delicious}\nsplits: [1, 2]\nmethod: rxml",
        "dataset: {name: bibtex}\nmethod: rxml",
    )
    configs = [load_document(parse(text, "f"), "f") for text in (*texts, texts[0])]
    configs.append(load_document(parse(texts[1] + "\nseed: 3", "f"), "f"))
    plan(configs, tiny_data)
    for name in ("delicious", "bibtex"):
        assert sum(name in record.message for record in caplog.records) == 1
