"""What a run of another task than extreme classification was told, as its table states it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from xcbench.config.changes import flat
from xcbench.config.tasks import SCHEMAS
from xcbench.report.rows import Row


def settings_of(row: Row, *prefixes: str) -> dict[str, Any]:
    """The config's dotted keys that begin with one of the prefixes; lists as tuples."""
    return {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in row.items()
        if key.startswith(prefixes)
    }


def unusual(row: Row) -> dict[str, Any]:
    """Settings of task and dataset that a title has to state, by their names.

    Of the task what the protocol lists, and what is not the default; of the dataset what is not
    the default, unless the dataset's own title depends on it. Names and paths are left out: the
    title is made of them.
    """
    schema = SCHEMAS.get(str(row["task"]))
    usual = flat(schema.task.model_validate({}).model_dump()) if schema else {}
    told = {
        key.removeprefix("task."): value
        for key, value in sorted(settings_of(row, "task.").items())
        if key != "task.kind"
    }
    stated = {
        key: value
        for key, value in told.items()
        if isinstance(value, tuple) or value != usual.get(key)
    }
    return stated | (dict(_of_dataset(row, schema.dataset)) if schema else {})


def told_apart(
    texts: Sequence[str], settings: Iterable[Mapping[str, Any]], together: str
) -> list[str]:
    """Texts with, where several are equal, the settings in which those that own them differ.

    Parameters
    ----------
    texts : sequence of str
    settings : iterable of mapping
        Of each text, by dotted key.
    together : str
        How a text and the words about it are put together: ``"{} ({})"``.
    """
    pairs = list(zip(texts, settings, strict=True))
    found = []
    for text, own in pairs:
        alike = [other for same, other in pairs if same == text]
        words = [
            f"{key.partition('.')[2] or key} {worded(own[key])}"
            for key in sorted(own)
            if any(other.get(key) != own[key] for other in alike)
        ]
        found.append(together.format(text, ", ".join(words)) if words else text)
    return found


def worded(value: Any) -> str:
    """A value as a title has it: lists without brackets, numbers short, ``none`` and ``false``."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ", ".join(map(worded, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _of_dataset(row: Row, kind: Any) -> Iterator[tuple[str, Any]]:
    try:
        dataset = TypeAdapter(kind).validate_python(_nested(settings_of(row, "dataset.")))
    except ValidationError:  # Of another xcbench; should titles be equal, they are told apart.
        return
    for name, field in type(dataset).model_fields.items():
        value, usual = getattr(dataset, name), field.default
        if field.is_required() or value == usual or (usual is None and isinstance(value, str)):
            continue
        if dataset.model_copy(update={name: usual}).title == dataset.title:
            yield from flat(dataset.model_dump(include={name})).items()


def _nested(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Dotted keys below their first part as mappings in mappings."""
    whole: dict[str, Any] = {}
    for key, value in settings.items():
        *parents, last = key.split(".")[1:]
        at = whole
        for parent in parents:
            at = at.setdefault(parent, {})
        at[last] = value
    return whole
