"""What a run's row alone tells: whether it is of a sweep, of the catalogue's data, and how sure."""

import json

import pytest

from xcbench.config.changes import flat
from xcbench.config.loader import load_config
from xcbench.report.rows import are_of_catalogue, is_swept, standard_error

SWEEPS = [
    "{rank: [3, 4]}",
    "{rank: [3, 4], learners: [1, 2]}",
    "{completion.iterations: [1, 30], vote.power: [2, 0.5]}",
    "{regression.ridge: [1, 2]}",  # whole numbers where a fraction is meant
    "{completion.tolerance: [0.0000001, 0.5]}",
    "{clusters: [auto, 3]}",
    "{completion: [svp, released]}",
    "{completion.kind: [svp, riemannian_cg]}",
    "{completion.beta: [polak_ribiere, hestenes_stiefel]}",
    "{vote: [{kind: cosine, power: 2}, {power: 3}]}",
]


def rows_of(tmp_path, text):
    """What the runs of a config have as rows, after a passage through JSON."""
    path = tmp_path / "c.yaml"
    path.write_text(f"dataset: {{name: tiny}}\n{text}\n")
    jobs = [json.loads(json.dumps(job.mapping())) for job in load_config(path).jobs()]
    return [flat(job) | {"method": job["method"]["label"]} for job in jobs]


@pytest.mark.parametrize("sweep", SWEEPS)
def test_every_point_of_a_sweep_is_known_by_its_label(tmp_path, sweep):
    rows = rows_of(tmp_path, f"method: {{preset: rxml, label: mine}}\nsweep: {sweep}")
    assert rows
    assert [row["method"] for row in rows if not is_swept(row)] == []


def test_a_point_whose_label_was_too_long_and_is_cut_is_known_too(tmp_path):
    method = f"method: {{preset: rxml, label: {72 * 'x'}}}"
    (row,) = rows_of(tmp_path, f"{method}\nsweep: {{rank: [33333333]}}")
    assert row["method"].endswith("x-rank333")
    assert is_swept(row)


def test_no_method_of_the_presets_and_of_the_projects_tables_is_one(tmp_path):
    from tests.conftest import ROOT
    from xcbench.config.presets import PRESETS

    assert not any(map(is_swept, rows_of(tmp_path, f"methods: [{', '.join(PRESETS)}]")))
    for folder in ("", "peers", "splits", "seeds"):
        for path in (ROOT / "configs" / folder).glob("*.yaml"):
            for job in load_config(path).jobs():
                label = job.method.label
                assert not is_swept(flat(job.mapping()) | {"method": label}), (path, label)


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("rxml", False), ("rxml-r200", False), ("rxml-rank200", True), ("rxml-rank100", False),
        ("rxml-rank200-again", False), ("rxml-rank", False), ("rank200", False),
    ],
)  # fmt: skip
def test_a_label_that_states_no_value_at_its_end_is_none(label, expected):
    assert is_swept({"method": label, "method.rank": 200, "method.label": label}) is expected


def test_data_is_the_catalogues_when_every_run_was_told_it_by_name():
    named, own = {"dataset.name": "eurlex"}, {"dataset.train": "my/eurlex/train.txt"}
    assert are_of_catalogue("eurlex", [named, named])
    assert not are_of_catalogue("eurlex", [named, own])


def test_the_standard_error_is_of_the_best_mean_over_seeds_of_a_split():
    def row(method, split, value, n=100):
        return {"method": method, "split": split, "P@1": value, "n_test": n}

    rows = [row("a", 1, 20.0), row("a", 1, 80.0), row("b", 1, 40.0), row("a", 2, 30.0)]
    assert standard_error(rows) == (pytest.approx(5.0), 100)  # of a on split 1: 50 percent
    assert standard_error([*rows, {"method": "c", "split": 1, "n_test": 9}])[1] == 100
    assert standard_error([]) is None
