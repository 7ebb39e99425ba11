"""Settings of metric learning: names of data, grids of gammas, presets."""

import pytest
from pydantic import ValidationError

from xcbench.config.loader import load_config
from xcbench.config.metric_learning import (
    ItmlSettings,
    MetricLearningDataset,
    MetricLearningTask,
    MetricLearnSettings,
)


@pytest.mark.parametrize("name", ["", "/wine", "uci//wine", "../wine", "uci/./wine", "wine ", "é"])
def test_a_name_is_one_below_the_data_folder(name):
    with pytest.raises(ValidationError):
        MetricLearningDataset(name=name)


def test_the_title_of_a_dataset_is_safe_as_a_folder():
    assert MetricLearningDataset(name="uci/balance-scale").title == "uci-balance-scale"


@pytest.mark.parametrize("settings", [ItmlSettings, MetricLearnSettings])
@pytest.mark.parametrize("gammas", [(), (1.0, 1.0), (0.0,), (1e10,)])
def test_a_grid_of_gammas_is_distinct_and_within_bounds(settings, gammas):
    with pytest.raises(ValidationError):
        settings(gammas=gammas)


def test_a_config_reads_the_presets_and_the_protocol(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text(
        "task: {kind: metric_learning, neighbours: 3}\n"
        "datasets: [{name: uci/wine}, {name: uci/iris}]\n"
        "methods: [euclidean, itml-released, {preset: itml, gammas: [1, 2.5]}]\n"
        "seeds: [0, 1]\n"
    )
    jobs = load_config(path).jobs()
    assert len(jobs) == 12
    assert {job.task for job in jobs} == {MetricLearningTask(neighbours=3)}
    released, ours = (job.method.settings for job in jobs[1:3])
    assert (released.variant, released.pairs, len(released.gammas)) == ("released", 40, 9)
    assert ours == ItmlSettings(gammas=(1.0, 2.5))
