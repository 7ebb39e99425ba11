"""Strict YAML: what a person wrote is what they get, and every value knows its line.

PyYAML follows YAML 1.1: it reads ``1e-3`` as text, ``no`` as False, ``010`` as 8, ``10:30`` as 630,
and keeps the last of two equal keys. Here ``1e-3`` is a float, ``no`` and ``10:30`` are text,
``010`` is ten, and an equal key is an error. Plain values, lists and mappings only; keys are text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from xcbench.errors import ConfigError

KeyPath = tuple[str | int, ...]

_INT = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?")
_BOOL = re.compile(r"true|True|TRUE|false|False|FALSE")
_NULL = re.compile(r"~|null|Null|NULL|")
_PREFIX = "tag:yaml.org,2002:"
_LARGEST_INT = 2**63 - 1
# Aliases of aliases grow a file of a few lines without bound; no config repeats this much.
_MOST_REPEATED = 10_000


class _StrictResolver(yaml.resolver.BaseResolver):
    """Which plain scalars are not text; shared by reading and writing, so that both agree."""


for _name, _pattern, _first in (
    ("int", _INT, "-+0123456789"),
    ("float", _FLOAT, "-+.0123456789"),
    ("bool", _BOOL, "tTfF"),
    ("null", _NULL, ["~", "n", "N", ""]),
):
    _StrictResolver.add_implicit_resolver(
        _PREFIX + _name, re.compile(f"^(?:{_pattern.pattern})$"), list(_first)
    )


class _Loader(
    yaml.reader.Reader,
    yaml.scanner.Scanner,
    yaml.parser.Parser,
    yaml.composer.Composer,
    _StrictResolver,
):
    """Text to nodes; the values are made by ``_Builder``."""

    def __init__(self, text: str) -> None:
        yaml.reader.Reader.__init__(self, text)
        yaml.scanner.Scanner.__init__(self)
        yaml.parser.Parser.__init__(self)
        yaml.composer.Composer.__init__(self)
        _StrictResolver.__init__(self)


class _Dumper(
    yaml.emitter.Emitter,
    yaml.serializer.Serializer,
    yaml.representer.SafeRepresenter,
    _StrictResolver,
):
    """Values to text, quoting what the strict reader would not read back as text."""

    def __init__(self, stream: Any, **options: Any) -> None:
        yaml.emitter.Emitter.__init__(self, stream, width=options.get("width"))
        yaml.serializer.Serializer.__init__(self)
        yaml.representer.SafeRepresenter.__init__(
            self, default_flow_style=False, sort_keys=options.get("sort_keys", True)
        )
        _StrictResolver.__init__(self)

    def ignore_aliases(self, data: Any) -> bool:
        return True


@dataclass
class Document:
    """A parsed file: its value, and the line (from 1) of every path in it."""

    value: Any
    lines: dict[KeyPath, int] = field(default_factory=dict)


class _Builder:
    """Nodes to values; collects what is wrong instead of stopping at the first."""

    def __init__(self) -> None:
        self.lines: dict[KeyPath, int] = {}
        self.errors: list[str] = []
        self._open: list[yaml.Node] = []
        self._seen: set[int] = set()
        self._repeated = 0

    def build(self, node: yaml.Node, path: KeyPath) -> Any:
        self.lines.setdefault(path, node.start_mark.line + 1)
        if any(node is parent for parent in self._open):
            self._complain(node, "an alias refers to the value it stands in")
            return None
        self._count(node)
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node, path)
        self._open.append(node)
        try:
            if isinstance(node, yaml.SequenceNode) and node.tag == _PREFIX + "seq":
                return [self.build(item, (*path, i)) for i, item in enumerate(node.value)]
            if isinstance(node, yaml.MappingNode) and node.tag == _PREFIX + "map":
                return self._mapping(node, path)
        finally:
            self._open.pop()
        self._complain(node, f"the tag {node.tag!r} is not allowed")
        return None

    def _count(self, node: yaml.Node) -> None:
        """Stop when aliases repeat too much: what a file writes out itself may be of any size."""
        self._repeated += id(node) in self._seen
        self._seen.add(id(node))
        if self._repeated > _MOST_REPEATED:
            message = f"aliases repeat more than {_MOST_REPEATED} values"
            raise yaml.MarkedYAMLError(problem=message, problem_mark=node.start_mark)

    def _mapping(self, node: yaml.MappingNode, path: KeyPath) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode) or key_node.tag != _PREFIX + "str":
                self._complain(key_node, "a key is not plain text")
                continue
            key = key_node.value
            line = key_node.start_mark.line + 1
            if key in result:
                first = self.lines[(*path, key)]
                self._complain(key_node, f"the key {key!r} is given twice, first in line {first}")
                continue
            self.lines[(*path, key)] = line
            result[key] = self.build(value_node, (*path, key))
        return result

    def _scalar(self, node: yaml.ScalarNode, path: KeyPath) -> Any:
        text, kind = node.value, node.tag.removeprefix(_PREFIX)
        if kind == "str":
            return text
        if kind == "null":
            return None
        if kind == "bool" and _BOOL.fullmatch(text):
            return text.lower() == "true"
        if kind == "int" and _INT.fullmatch(text):
            return self._int(node, path)
        if kind == "float" and (_FLOAT.fullmatch(text) or _INT.fullmatch(text)):
            return float(text)
        self._complain(node, f"{text[:40]!r} cannot be read as {kind!r}")
        return None

    def _int(self, node: yaml.ScalarNode, path: KeyPath) -> int | None:
        # The length is looked at first: Python refuses to convert thousands of digits.
        if len(node.value) <= 20 and abs(int(node.value)) <= _LARGEST_INT:
            return int(node.value)
        place = ".".join(str(part) for part in path)
        message = f"found {node.value[:40]}; expected a whole number of at most {_LARGEST_INT}"
        self._complain(node, f"{place}: {message}" if place else message)
        return None

    def _complain(self, node: yaml.Node, message: str) -> None:
        self.errors.append(f"{node.start_mark.line + 1}: {message}")


def parse(text: str, source: str) -> Document:
    """Read one YAML document.

    Raises
    ------
    ConfigError
        Every defect, each as ``source:line: reason``.
    """
    builder = _Builder()
    try:
        node = _Loader(text).get_single_node()
        value = None if node is None else builder.build(node, ())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        reason = ", ".join(part for part in (error.context, error.problem) if part)
        raise ConfigError(f"{source}:{line}: {reason}") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{source}: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise ConfigError(f"{source}: nested too deeply") from None
    if builder.errors:
        raise ConfigError("\n".join(f"{source}:{error}" for error in builder.errors))
    return Document(value, builder.lines)


def dump(value: Any) -> str:
    """Write plain values so that ``parse`` gives them back equal; keys keep their order."""
    text: str = yaml.dump(value, Dumper=_Dumper, sort_keys=False, width=100)
    return text
