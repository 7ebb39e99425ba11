"""Search spaces: the usual one of a method, and what a drawn point makes of its settings."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from xcbench.config.base import Settings
from xcbench.config.changes import flat
from xcbench.config.maxide import MaxideSettings
from xcbench.config.methods import GlobalSettings, LocalEmbeddingSettings
from xcbench.config.peers import (
    FeatureNeighboursSettings,
    NapkinXCSettings,
    OmikujiSettings,
    OneVsRestSettings,
    PecosSettings,
)
from xcbench.config.problems import problems_of
from xcbench.config.schema import MethodConfig
from xcbench.config.sweep import put
from xcbench.config.tuning import Choices, Range, Space, has_value
from xcbench.errors import ConfigError

if TYPE_CHECKING:
    from xcbench.tasks.base import Sizes

Point = dict[str, Any]  # dotted keys of a method and their values


def _log(low: float, high: float) -> Range:
    return Range(low=low, high=high, log=True)


_OF_MODELS: dict[type[Settings], Space] = {
    GlobalSettings: {"rank": Choices((50, 100, 150, 200, 300)), "ridge": _log(0.25, 16.0)},
    OneVsRestSettings: {"ridge": _log(0.1, 20.0)},
    FeatureNeighboursSettings: {"neighbours": _log(10, 200), "power": _log(0.5, 8.0)},
    MaxideSettings: {
        "labels": Choices(("identity", "correlation")),
        "label_rank": Choices((25, 50, 100)),
    },
    OmikujiSettings: {
        "n_trees": Choices((1, 3, 5)),
        "linear_c": _log(0.1, 10.0),
    },
    NapkinXCSettings: {"liblinear_c": _log(0.5, 50.0), "loss": Choices(("log", "l2"))},
    PecosSettings: {
        "Cp": _log(0.1, 10.0),
        "Cn": _log(0.1, 10.0),
        "nr_splits": Choices((8, 16, 32)),
    },
}


def usual_space(settings: Settings) -> Space:
    """What is searched where a config has no ``tune:`` block.

    Keys that the settings do not use (the power of an equal vote, a head that is not there) are
    left out.
    """
    if isinstance(settings, LocalEmbeddingSettings):
        return _of_embedding(settings)
    return dict(_OF_MODELS.get(type(settings), {}))


def _of_embedding(settings: LocalEmbeddingSettings) -> Space:
    space: Space = {
        "learners": Choices((1, 3, 5)),
        "rank": Choices((50, 100, 200)),
        "neighbours.count": Choices((25, 50, 100, 200)),
        "regression.ridge": _log(0.25, 16.0),
        "vote.neighbours": _log(5, 100),
    }
    if settings.vote.kind == "cosine":
        space["vote.power"] = _log(1.0, 24.0)
    if settings.head.kind != "none":
        space["head.ridge"] = _log(0.25, 4.0)
        space["head.weight"] = _log(0.25, 8.0)
    return space


def fitting(space: Space, settings: Settings, sizes: Sizes) -> Space:
    """A usual space without what data of these sizes cannot have; the settings' own value stays."""
    limits = dict.fromkeys(
        ("rank", "neighbours.count", "vote.neighbours", "neighbours"), sizes.n_train
    )
    if isinstance(settings, GlobalSettings):
        limits["rank"] = min(sizes.n_train, sizes.n_features, sizes.n_labels)
    limits["label_rank"] = sizes.n_labels
    current, found = point_of(settings, space), Space()
    for key, span in space.items():
        limit = limits.get(key)
        if limit is None:
            found[key] = span
        elif isinstance(span, Choices):
            kept = tuple(v for v in span.values if v <= limit or v == current[key])
            found |= {key: Choices(kept)} if kept else {}
        elif span.low < limit:
            found[key] = Range(low=span.low, high=min(span.high, limit), log=span.log)
    return found


def space_of(method: MethodConfig, given: Space) -> Space:
    """The space of a method: the config's keys that it has, else its usual one.

    Raises
    ------
    ConfigError
        There is nothing to choose.
    """
    keys = {k: span for k, span in given.items() if has_value(type(method.settings), k)}
    if given and not keys:
        raise ConfigError(f"tune: {method.label} has none of the keys {', '.join(given)}")
    space = keys or usual_space(method.settings)
    if not space:
        raise ConfigError(
            f"{method.label} has no usual search space; add a tune: block to the config"
        )
    return space


def is_whole(span: Range, current: Any) -> bool:
    """Whether a range is one of whole numbers: of a setting that is one, or as it is written."""
    if isinstance(current, float):
        return False
    return isinstance(span.low, int) and isinstance(span.high, int)


def holds(span: Choices | Range, value: Any, current: Any) -> bool:
    """Whether a value is one of a span's; ``current`` tells whether it is of whole numbers."""
    if isinstance(span, Choices):
        return any(value == one and type(value) is type(one) for one in span.values)
    kinds = int if is_whole(span, current) else (int, float)
    is_number = isinstance(value, kinds) and not isinstance(value, bool)
    return is_number and span.low <= value <= span.high


def point_of(settings: Settings, space: Space) -> Point:
    """Where settings stand in a space."""
    values = flat(settings.model_dump(mode="json"))
    return {key: values[key] for key in space}


def at_point(method: MethodConfig, point: Point) -> MethodConfig:
    """A method with the values of a point.

    Raises
    ------
    ConfigError
        The values do not go together.
    """
    mapping = copy.deepcopy(method.settings.model_dump(mode="json"))
    for key, value in point.items():
        put(mapping, key, value)
    model: type[Settings] = type(method.settings)
    try:
        return MethodConfig(method.label, method.preset, model.model_validate(mapping))
    except ValidationError as error:
        found = problems_of(error, model, ())
        lines = [f"{'.'.join(map(str, each.path))}: {each.message}" for each in found]
        raise ConfigError("; ".join(lines)) from None
