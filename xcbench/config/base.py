"""What all settings are made of: their base class, and the kinds of numbers they hold."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field


class Settings(BaseModel):
    """Base of all settings: frozen, strict types, finite numbers, unknown keys refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


def _kind_shorthand(value: Any) -> Any:
    """Read ``partition: kmeans`` as ``partition: {kind: kmeans}``."""
    return {"kind": value} if isinstance(value, str) else value


Shorthand = BeforeValidator(_kind_shorthand)
Positive = Annotated[float, Field(gt=0)]
NonNegative = Annotated[float, Field(ge=0)]
# Bounds within which float32 neither overflows nor underflows on scaled rows.
Penalty = Annotated[float, Field(gt=0, le=1e9)]
Power = Annotated[float, Field(ge=0, le=32)]
Share = Annotated[float, Field(ge=0, lt=1)]
Count = Annotated[int, Field(ge=1)]
Seed = Annotated[int, Field(ge=0, le=2**63 - 1)]


def _distinct(values: tuple[Any, ...]) -> tuple[Any, ...]:
    if not values:
        raise ValueError("give at least one value")
    seen = set()
    for value in values:
        if value in seen:
            # Datasets are named by their title.
            name = getattr(value, "title", "") if isinstance(value, Settings) else value
            raise ValueError(f"the value {name!r} is given twice")
        seen.add(value)
    return values


# Strictness would refuse a YAML list where the type says tuple; what is inside stays strict.
Distinct = (Field(strict=False), AfterValidator(_distinct))
Counts = Annotated[tuple[Count, ...], *Distinct]
Percents = Annotated[tuple[Annotated[float, Field(ge=0, le=100)], ...], *Distinct]


class TaskSettings(Settings):
    """What kind of job a config asks for, and the numbers of its protocol."""

    kind: str

    def each(self) -> list[Self]:
        """One task a job; a protocol's number that is a list of values gives a job for each."""
        return [self]
