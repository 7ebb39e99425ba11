"""The sizes of made-up data, and the note that lies beside it; quick to import."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any, Self

from xcbench.data.catalogue import CatalogueEntry
from xcbench.data.matrix import INT32_MAX
from xcbench.errors import ConfigError, DataError

NOTE = "synth.json"


@dataclass(frozen=True)
class SynthesisShape:
    """The sizes of made-up data.

    Attributes
    ----------
    n_train, n_test, n_features, n_labels : int
    features_per_point, labels_per_point : float
        Averages; at least 1, at most n_features and n_labels.
    modelled_on : str or None
        The catalogue's name of the dataset whose sizes were scaled.
    scale : float
        By how much they were.

    Raises
    ------
    ConfigError
        A size is out of these bounds.
    """

    n_train: int
    n_test: int
    n_features: int
    n_labels: int
    features_per_point: float
    labels_per_point: float
    modelled_on: str | None = None
    scale: float = 1.0

    def __post_init__(self) -> None:
        for name in ("n_train", "n_test", "n_features", "n_labels"):
            if not 1 <= getattr(self, name) <= INT32_MAX:
                raise ConfigError(f"{name} is {getattr(self, name)}; expected 1 to {INT32_MAX}")
        for name, most in (("features", self.n_features), ("labels", self.n_labels)):
            mean = getattr(self, f"{name}_per_point")
            if not 1 <= mean <= most:
                raise ConfigError(
                    f"{name}_per_point is {mean:g}; expected 1 to the {most} {name} there are"
                )

    @classmethod
    def like(cls, entry: CatalogueEntry, scale: float, named: str = "scale") -> Self:
        """Points and labels times scale, features times its square root.

        Parameters
        ----------
        entry : CatalogueEntry
        scale : float
        named : str
            What the scale is called in an error.

        Raises
        ------
        ConfigError
            The catalogue does not know the averages, or the scale leaves fewer features or labels
            than a point has, or makes more than 2**31 - 1 of anything.
        """
        if entry.features_per_point is None or entry.labels_per_point is None:
            raise ConfigError(
                f"the catalogue does not know how many features and labels a point of {entry.name} "
                "has; give the sizes one by one (--points, ...)"
            )
        least = max(
            (ceil(entry.features_per_point) / entry.n_features) ** 2,
            ceil(entry.labels_per_point) / entry.n_labels,
        )
        most = min(
            INT32_MAX / max(entry.n_train, entry.n_test, entry.n_labels),
            (INT32_MAX / entry.n_features) ** 2,
        )
        if not least <= scale <= most:  # nan is not, either
            raise ConfigError(
                f"{named} {scale:g}: expected about {least:.2g} to {most:.2g} for {entry.name}"
            )
        return cls(
            n_train=max(round(entry.n_train * scale), 1),
            n_test=max(round(entry.n_test * scale), 1),
            n_features=max(round(entry.n_features * scale**0.5), 1),
            n_labels=max(round(entry.n_labels * scale), 1),
            features_per_point=entry.features_per_point,
            labels_per_point=entry.labels_per_point,
            modelled_on=entry.name,
            scale=scale,
        )


@dataclass(frozen=True)
class SynthesisNote:
    """How a folder's data was made.

    Attributes
    ----------
    shape : SynthesisShape
    seed : int
    version : str
        That of xcbench which made it.
    generator : int
        That of the bytes: with the same one, shape and seed make the same.
    """

    shape: SynthesisShape
    seed: int
    version: str
    generator: int


def read_note(folder: Path) -> SynthesisNote | None:
    """The note in a folder; None if there is none, for the data is then not made up.

    Raises
    ------
    DataError
        It is there, and is not what ``synthesize`` writes.
    """
    path = folder / NOTE
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        seed, version = content.pop("seed"), content.pop("xcbench")
        generator = content.pop("generator", 1)  # the first wrote none
        return SynthesisNote(SynthesisShape(**content), int(seed), str(version), int(generator))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ConfigError):
        raise DataError(
            f"{path}: not the note of made-up data; make the data again, or remove the note"
        ) from None
