"""Settings of robust embedding."""

import pytest
from pydantic import ValidationError

from xcbench.config.robust_embedding import (
    PRESETS,
    EmbeddingMadmmSettings,
    EmbeddingSettings,
    EmbeddingSubgradientSettings,
    RobustEmbeddingDataset,
    RobustEmbeddingTask,
)


def test_a_task_for_each_share_of_doubled_distances():
    task = RobustEmbeddingTask.model_validate({"doubled": [0, 5.0], "doubling": "plain"})
    assert [(each.doubled, each.doubling) for each in task.each()] == [
        ((0.0,), "plain"),
        ((5.0,), "plain"),
    ]


def test_titles_tell_datasets_apart():
    datasets = [
        RobustEmbeddingDataset(rows=rows, distances=distances)
        for rows in (100, 500)
        for distances in ("planar", "geodesic")
    ]
    titles = [dataset.title for dataset in datasets]
    assert titles[:2] == ["us-cities-100", "us-cities-100-geodesic"]
    assert len(set(titles)) == 4


@pytest.mark.parametrize("name", ["", "../up", "a/b", ".hidden", "a" * 61])
def test_a_name_that_is_no_plain_folder_is_refused(name):
    with pytest.raises(ValidationError):
        RobustEmbeddingDataset(name=name)


@pytest.mark.parametrize("doubled", [[], [5.0, 5.0], [-1.0], [101.0]])
def test_shares_that_make_no_sense_are_refused(doubled):
    with pytest.raises(ValidationError):
        RobustEmbeddingTask.model_validate({"doubled": doubled})


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_are_settings_of_their_model(preset):
    by_model = {each.model_fields["model"].default: each for each in EmbeddingSettings.__args__}
    values = PRESETS[preset]
    settings = by_model[values["model"]].model_validate(values)
    assert values.items() <= settings.model_dump().items()


@pytest.mark.parametrize("rho", [0.0, 1e-300, 1e300])
def test_a_penalty_that_lets_nothing_move_is_refused(rho):
    with pytest.raises(ValidationError):
        EmbeddingMadmmSettings(rho=rho)


@pytest.mark.parametrize("step", [0.0, 1e-300, 1e308])
def test_a_step_that_overflows_or_vanishes_is_refused(step):
    with pytest.raises(ValidationError):
        EmbeddingSubgradientSettings(step=step)
