"""What is wrong with a config, in words: where, what was found, what was expected."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from xcbench.config.yaml import KeyPath

# One entry of pydantic's errors(): type, loc, input, ctx, msg.
Details = Mapping[str, Any]


@dataclass(frozen=True)
class Problem:
    """One defect and its path in the config ("methods", 1, "rank")."""

    path: KeyPath
    message: str


def dotted(path: KeyPath) -> str:
    """A path as ``--set`` takes it: methods.1.rank."""
    return ".".join(str(part) for part in path)


def suggestion(word: object, known: Iterable[str]) -> str:
    """``; did you mean 'x'?``, or nothing when no known word is close."""
    close = difflib.get_close_matches(str(word), list(known), n=1, cutoff=0.6)
    return f"; did you mean {close[0]!r}?" if close else ""


def unknown(word: object, known: Iterable[str]) -> str:
    """The message for a value that is none of ``known``."""
    known = list(known)
    return f"found {shown(word)}; expected one of {', '.join(known)}{suggestion(word, known)}"


def unknown_key(key: str, known: Iterable[str]) -> str:
    """The message for a key that is none of ``known``."""
    known = list(known)
    hint = suggestion(key, known)
    return f"unknown key {shown(key)}" + (hint or f"; known here: {', '.join(known)}")


def shown(value: object) -> str:
    """A found value, short and as YAML would write it."""
    if value is None or isinstance(value, bool):
        return {None: "nothing", True: "true", False: "false"}[value]
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def problems_of(error: ValidationError, model: type[BaseModel], root: KeyPath) -> list[Problem]:
    """Every defect pydantic found in ``model``, once a path, below ``root``."""
    found: dict[KeyPath, list[Details]] = {}
    for detail in error.errors(include_url=False):
        found.setdefault(_field_path(detail, model), []).append(detail)
    return [Problem(root + path, _message(details, path, model)) for path, details in found.items()]


def inner_model(model: type[BaseModel] | None, key: str | int) -> type[BaseModel] | None:
    """The model a field holds, or None for a plain value or an unknown field."""
    if model is None or key not in model.model_fields:
        return None
    return _model_in(model.model_fields[str(key)].annotation)


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The model an annotation holds, behind unions, tuples and bounds."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    found = (_model_in(part) for part in get_args(annotation))
    return next((model for model in found if model is not None), None)


def has_key(model: type[BaseModel], key: str) -> bool:
    """Whether a method of this model has the dotted key; which model it is can not be set."""
    *parents, last = key.split(".")
    inner: type[BaseModel] | None = model
    for parent in parents:
        inner = inner_model(inner, parent)
    return inner is not None and last in inner.model_fields and key != "model"


def _field_path(detail: Details, model: type[BaseModel]) -> KeyPath:
    """The error's place in the file, without the union branches pydantic names in between."""
    path: KeyPath = ()
    current: type[BaseModel] | None = model
    for part in detail["loc"]:
        is_key = current is not None and (
            part in current.model_fields or detail["type"] == "extra_forbidden"
        )
        if not (is_key or isinstance(part, int)):
            break
        path = (*path, part)
        if not isinstance(part, int):  # The items of a list are of the list's own model.
            current = inner_model(current, part)
    return path


def _message(details: list[Details], path: KeyPath, model: type[BaseModel]) -> str:
    detail = details[0]
    if detail["type"] == "missing":
        return "is missing"
    if detail["type"] == "extra_forbidden":
        owner: type[BaseModel] | None = model
        for part in path[:-1]:
            owner = owner if isinstance(part, int) else inner_model(owner, part)
        return unknown_key(str(path[-1]), owner.model_fields if owner else ())
    if detail["type"] == "value_error":
        return str(detail["ctx"]["error"])
    found = detail["input"]
    expected = dict.fromkeys(_expected(each) for each in details)
    choices = [word for each in details for word in _choices(each)]
    return f"found {shown(found)}; expected {' or '.join(expected)}{suggestion(found, choices)}"


_EXPECTED = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    # The strict reader takes .inf and .nan for text, which is no number.
    "float_type": "a finite number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "string_type": "text",
    "string_too_short": "some text",
    "tuple_type": "a list",
    "model_type": "a mapping",
    "greater_than": "more than {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
}


def _expected(detail: Details) -> str:
    if detail["type"] == "literal_error":
        choices = _choices(detail)
        return f"one of {', '.join(choices)}" if len(choices) > 1 else choices[0]
    if detail["type"] in _EXPECTED:
        return _EXPECTED[detail["type"]].format(**detail.get("ctx", {}))
    return str(detail["msg"])


def _choices(detail: Details) -> list[str]:
    """The words of a Literal, read from pydantic's "'a', 'b' or 'c'"."""
    if detail["type"] != "literal_error":
        return []
    return [
        quoted or bare
        for quoted, bare in re.findall(r"'([^']*)'|(-?\d+)", detail["ctx"]["expected"])
    ]
