from __future__ import annotations

import re

import pytest
from pydantic import ValidationError

from xcbench.config.compressed_modes import (
    PRESETS,
    CompressedModesDataset,
    MadmmModesSettings,
    NeumannModesSettings,
    SocModesSettings,
)

MODELS = {
    "modes_madmm": MadmmModesSettings,
    "modes_soc": SocModesSettings,
    "modes_neumann": NeumannModesSettings,
}


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_settings(name: str) -> None:
    preset = PRESETS[name]
    assert MODELS[preset["model"]].model_validate(preset).model == preset["model"]


@pytest.mark.parametrize("values", [{}, {"line": 10, "mesh": "meshes/spot"}])
def test_a_domain_is_a_line_or_a_mesh(values: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match="give either line"):
        CompressedModesDataset.model_validate(values)


@pytest.mark.parametrize(
    ("values", "title"),
    [
        ({"line": 500}, "line-500"),
        ({"line": 500, "measure": 50}, "line-500"),
        ({"line": 500, "measure": 2.5}, "line-500-measure2.5"),
        ({"mesh": "meshes/spot", "measure": 1}, "meshes-spot-measure1"),
        ({"mesh": "meshes/spot"}, "meshes-spot"),
        ({"mesh": "/data/my shapes/cow.obj.gz"}, "data-my-shapes-cow"),
        ({"mesh": "../.."}, "mesh"),
        ({"mesh": "x" * 300}, "x" * 100),
    ],
)
def test_titles_are_safe_as_folder_names(values: dict[str, object], title: str) -> None:
    found = CompressedModesDataset.model_validate(values).title
    assert found == title
    assert re.fullmatch(r"[A-Za-z0-9._+=-]+", found)


@pytest.mark.parametrize(
    "values", [{"rho": 0.0}, {"iterations": 0}, {"inner_iterations": 0}, {"solver": "newton"}]
)
def test_settings_out_of_bounds(values: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        MadmmModesSettings.model_validate(values)


def test_madmm_is_preconditioned_but_as_in_the_paper() -> None:
    ours, theirs = (
        MadmmModesSettings.model_validate(PRESETS[name])
        for name in ("modes-madmm", "modes-madmm-paper")
    )
    assert (ours.solver, ours.inner_iterations) == ("preconditioned_conjugate_gradient", 1)
    assert (theirs.solver, theirs.inner_iterations) == ("conjugate_gradient", 3)
