"""Tables of the keys of a config, made from the schema: what ``xcbench help`` says of them."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

_HEAD = "| key | default | what it is |\n|---|---|---|\n"


def config_keys() -> str:
    """Markdown: the keys of a config of extreme classification, and of each of its models."""
    from xcbench.config.dataset import DatasetConfig, MetricsConfig
    from xcbench.config.executor import ExecutorConfig
    from xcbench.config.tasks import XC

    parts: dict[str, type[BaseModel]] = {
        "dataset": DatasetConfig,
        "metrics": MetricsConfig,
        "executor": ExecutorConfig,
    }
    sections = [_section(f"`{name}:`", part) for name, part in parts.items()]
    methods = [_section(f"A method of `model: {name}`", each) for name, each in XC.models.items()]
    return "\n\n".join([*sections, *methods])


def task_keys() -> str:
    """Markdown: the keys of the other tasks, of their data and of their models."""
    from xcbench.config.dataset import DatasetConfig
    from xcbench.config.tasks import SCHEMAS, XC

    sections = []
    for kind, schema in SCHEMAS.items():
        if schema is XC:
            continue
        sections.append(_section(f"`task: {kind}`", schema.task, with_text=True))
        if schema.dataset not in (DatasetConfig, XC.dataset):
            sections.append(_section(f"`dataset:` of {kind}", schema.dataset, with_text=True))
        for name, each in schema.models.items():
            if name not in XC.models:
                sections.append(
                    _section(f"A method of `model: {name}` for {kind}", each, with_text=True)
                )
    return "\n\n".join(sections)


def _section(title: str, settings: type[BaseModel], with_text: bool = False) -> str:
    """A table of keys; ``with_text``: below what the class says of them itself."""
    rows = [f"| `{key}` | {default} | {meaning} |" for key, default, meaning in _rows(settings)]
    text = inspect.cleandoc(settings.__doc__ or "").replace("``", "`") if with_text else ""
    table = _HEAD + "\n".join(rows) if rows else ""
    return "\n\n".join(part for part in (f"### {title}", text, table) if part)


def _rows(settings: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, str, str]]:
    """Key, default and meaning of every field; nested ones by dotted keys."""
    for name, field in settings.model_fields.items():
        inner = _inner(field)
        if inner is not None:
            yield from _rows(inner, f"{prefix}{name}.")
        elif name not in ("model", "kind") or len(_options(field.annotation)) > 1:
            yield prefix + name, _default(field), _meaning(field)


def _inner(field: FieldInfo) -> type[BaseModel] | None:
    """The settings a field holds, if it holds any."""
    from pydantic import BaseModel

    for each in (field.annotation, *get_args(field.annotation)):
        if isinstance(each, type) and issubclass(each, BaseModel):
            return each
    return None


def _default(field: FieldInfo) -> str:
    value = field.default
    if field.is_required():
        return "(needed)"
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)


def _meaning(field: FieldInfo) -> str:
    options = ", ".join(f"`{option}`" for option in _options(field.annotation))
    text = (field.description or "").replace("|", "\\|")
    return ": ".join(part for part in (options, text) if part)


def _options(annotation: Any) -> list[str]:
    """The values of a Literal, also of one among other types."""
    if get_origin(annotation) is Literal:
        return [str(value) for value in get_args(annotation)]
    inner: Iterable[Any] = get_args(annotation)
    return [option for each in inner for option in _options(each)]
