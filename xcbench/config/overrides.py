"""``--set a.b=c``: one value of the config, changed from the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from xcbench.config.problems import dotted, has_key
from xcbench.config.resolve import model_of
from xcbench.config.yaml import DEEPEST, KeyPath, parse
from xcbench.errors import ConfigError


@dataclass(frozen=True)
class Override:
    """A parsed ``--set``: where, and the value (read as YAML)."""

    text: str
    path: KeyPath
    value: Any


def parse_override(text: str) -> Override:
    """Read ``a.b=c``.

    Raises
    ------
    ConfigError
        When there is no ``=``, a part of the key is empty, or the value is no YAML.
    """
    key, equals, value = text.partition("=")
    parts = key.strip().split(".")
    if not equals or not all(parts) or len(parts) > DEEPEST:
        raise ConfigError(f"--set {text}: expected key=value, as in method.rank=50")
    # The keys of a sweep are dotted themselves: sweep.neighbours.count is one key of sweep.
    is_dotted = parts[0] in ("sweep", "tune") and len(parts) > 1
    path = (parts[0], ".".join(parts[1:])) if is_dotted else tuple(parts)
    return Override(text, path, parse(value, f"--set {text}").value)


def apply_override(raw: dict[str, Any], override: Override) -> list[KeyPath]:
    """Write the value into the raw config.

    ``method.x`` reaches every method that has an x, ``dataset.x`` every one of ``datasets``.

    Returns
    -------
    list of KeyPath
        Where the value went.

    Raises
    ------
    ConfigError
        When the path leads through something that is no mapping.
    """
    head, *tail = override.path
    if not tail:
        for pair in (("method", "methods"), ("dataset", "datasets"), ("seed", "seeds")):
            if head in pair:
                raw.pop(pair[0], None)
                raw.pop(pair[1], None)
        raw[str(head)] = override.value
        return [(head,)]
    key = dotted(tuple(tail))
    if head == "method" and isinstance(raw.get("methods"), list) and "method" not in raw:
        places: list[KeyPath] = [("methods", i) for i in _having(raw["methods"], key)]
    elif head == "dataset" and isinstance(raw.get("datasets"), list) and "dataset" not in raw:
        places = [("datasets", i) for i in range(len(raw["datasets"]))]
    else:
        places = [(head,)]
    if head == "method" and isinstance(raw.get("sweep"), dict) and key in raw["sweep"]:
        raise ConfigError(
            f"--set {override.text}: the sweep sets this key; use --set sweep.{key}=[...]"
        )
    return [_write(raw, (*place, *tail), override) for place in places]


def _having(methods: list[Any], key: str) -> list[int]:
    """Positions of the methods that have the key; of all when none has, to be told so."""
    if key in ("preset", "label", "model"):
        return list(range(len(methods)))
    models = [model_of(method) for method in methods]
    having = [i for i, model in enumerate(models) if model is not None and has_key(model, key)]
    return having or list(range(len(methods)))


def _write(raw: dict[str, Any], path: KeyPath, override: Override) -> KeyPath:
    """Descend to the last key, opening shorthand and missing mappings on the way."""
    at: Any = raw
    written: KeyPath = ()
    for depth, part in enumerate(path):
        key: Any = part
        if isinstance(at, list):
            key = _index(at, part, override)
        elif not isinstance(at, dict):
            raise ConfigError(
                f"--set {override.text}: {dotted(written)} is no mapping, it has no {part!r}"
            )
        written = (*written, key)
        if depth == len(path) - 1:
            at[key] = override.value
        else:
            at[key] = opened(at[key] if isinstance(at, list) else at.get(key), written)
            at = at[key]
    return written


def opened(value: Any, path: KeyPath) -> Any:
    """A value ready to take a key: nothing becomes a mapping, shorthand is written out."""
    if value is None:
        return {}
    if isinstance(value, str) and path == ("task",):
        return {"kind": value}
    if isinstance(value, str) and path[0] in ("method", "methods"):
        is_method = len(path) == (1 if path[0] == "method" else 2)
        return {"preset" if is_method else "kind": value}
    return value


def _index(items: list[Any], part: str | int, override: Override) -> int:
    positions = {str(i): i for i in range(len(items))}
    if str(part) in positions:
        return positions[str(part)]
    raise ConfigError(
        f"--set {override.text}: {part!r} is no position in a list of {len(items)} (the first is 0)"
    )
