"""Settings of functional correspondence."""

import re

import pytest
from pydantic import ValidationError

from xcbench.config.functional_correspondence import (
    PRESETS,
    CorrespondenceLeastSquaresSettings,
    CorrespondenceMadmmSettings,
    CorrespondenceSmoothedSettings,
    FunctionalCorrespondenceDataset,
    FunctionalCorrespondenceTask,
)


def test_each_share_of_outliers_is_a_task():
    task = FunctionalCorrespondenceTask.model_validate({"outliers": [0, 16], "basis": 9})
    assert [each.outliers for each in task.each()] == [(0.0,), (16.0,)]
    assert {each.basis for each in task.each()} == {9}


@pytest.mark.parametrize(
    "given",
    [{"outliers": []}, {"outliers": [16, 16]}, {"outliers": [101]}, {"basis": 1}, {"mu": -1.0}],
)
def test_a_protocol_that_makes_no_sense_is_refused(given):
    with pytest.raises(ValidationError):
        FunctionalCorrespondenceTask.model_validate(given)


@pytest.mark.parametrize(
    ("given", "title"),
    [
        ({"mesh": "meshes/spot"}, "meshes-spot-2"),
        ({"mesh": "/a b/my mesh.obj.gz", "shapes": 6}, "a-b-my-mesh-6"),
        ({"mesh": "spot", "deformation": 0.25}, "spot-2-deformation0.25"),
    ],
)
def test_a_title_names_mesh_and_number_of_shapes(given, title):
    assert FunctionalCorrespondenceDataset(**given).title == title


def test_meshes_of_one_name_in_two_folders_have_two_titles():
    titles = {FunctionalCorrespondenceDataset(mesh=f"{at}/spot").title for at in "ab"}
    assert len(titles) == 2


def test_a_title_is_a_short_name_of_plain_letters():
    title = FunctionalCorrespondenceDataset(mesh="ä/" + "ö" * 200).title
    assert re.fullmatch(r"[A-Za-z0-9._+=-]{1,150}", title)


@pytest.mark.parametrize("given", [{"shapes": 1}, {"deformation": 3.0}, {"mesh": ""}])
def test_poses_that_make_no_sense_are_refused(given):
    with pytest.raises(ValidationError):
        FunctionalCorrespondenceDataset.model_validate({"mesh": "meshes/spot"} | given)


def test_every_preset_is_the_default_of_its_model():
    models = (
        CorrespondenceMadmmSettings, CorrespondenceLeastSquaresSettings,
        CorrespondenceSmoothedSettings,
    )  # fmt: skip
    for preset, model in zip(PRESETS.values(), models, strict=True):
        assert model.model_validate(preset) == model()
