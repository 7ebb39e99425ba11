"""Strict YAML: what a person wrote is what they get, and every value knows its line.

PyYAML follows YAML 1.1: it reads ``1e-3`` as text, ``no`` as False, ``010`` as 8, ``10:30`` as 630,
and keeps the last of two equal keys. Here ``1e-3`` is a float, ``no`` and ``10:30`` are text,
``010`` is ten, and an equal key is an error. Plain values, lists and mappings only; keys are text.
What would fill the memory or the stack is refused with its line.
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
_MOST_LINES = 100
DEEPEST = 50  # levels; a config has five


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
        self._depth = 0

    def fetch_flow_collection_start(self, token: Any) -> None:
        # The scanner runs ahead of the composer, and takes longer the more brackets are open.
        if self.flow_level == DEEPEST:
            raise _too_deep(self.get_mark())
        super().fetch_flow_collection_start(token)

    def compose_node(self, parent: Any, index: Any) -> Any:
        self._depth += 1
        if self._depth > DEEPEST:
            raise _too_deep(self.peek_event().start_mark)
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


def _too_deep(mark: Any) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=f"nested more than {DEEPEST} deep", problem_mark=mark)


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
            self,
            default_flow_style=options.get("default_flow_style", False),
            sort_keys=options.get("sort_keys", True),
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
        if len(self._open) == DEEPEST:  # by aliases in aliases
            raise _too_deep(node.start_mark)
        self._open.append(node)
        try:
            if isinstance(node, yaml.SequenceNode) and node.tag == _PREFIX + "seq":
                return [self.build(item, (*path, i)) for i, item in enumerate(node.value)]
            if isinstance(node, yaml.MappingNode) and node.tag == _PREFIX + "map":
                return self._mapping(node, path)
        finally:
            self._open.pop()
        self._complain(node, f"the tag {quoted(node.tag)} is not allowed")
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
            key = self._text(key_node)
            line = key_node.start_mark.line + 1
            if key in result:
                first = self.lines[(*path, key)]
                again = f"the key {quoted(key)} is given twice, first in line {first}"
                self._complain(key_node, again)
                continue
            self.lines[(*path, key)] = line
            result[key] = self.build(value_node, (*path, key))
        return result

    def _scalar(self, node: yaml.ScalarNode, path: KeyPath) -> Any:
        text, kind = node.value, node.tag.removeprefix(_PREFIX)
        if kind == "str":
            return self._text(node)
        if kind == "null" and _NULL.fullmatch(text):
            return None
        if kind == "bool" and _BOOL.fullmatch(text):
            return text.lower() == "true"
        if kind == "int" and _INT.fullmatch(text):
            return self._int(node, path)
        if kind == "float" and (_FLOAT.fullmatch(text) or _INT.fullmatch(text)):
            return float(text)
        self._complain(node, f"{quoted(text)} cannot be read as {quoted(kind)}")
        return None

    def _text(self, node: yaml.ScalarNode) -> str:
        # Escapes can spell the halves of characters, which no file can be written with.
        if any("\ud800" <= letter <= "\udfff" for letter in node.value):
            self._complain(node, f"{quoted(node.value)} holds half of a character")
        return str(node.value)

    def _int(self, node: yaml.ScalarNode, path: KeyPath) -> int | None:
        # The length is looked at first: Python refuses to convert thousands of digits.
        if len(node.value) <= 20 and abs(int(node.value)) <= _LARGEST_INT:
            return int(node.value)
        place = printable(".".join(str(part) for part in path))
        message = f"found {node.value[:40]}; expected a whole number of at most {_LARGEST_INT}"
        self._complain(node, f"{place}: {message}" if place else message)
        return None

    def _complain(self, node: yaml.Node, message: str) -> None:
        self.errors.append(f"{node.start_mark.line + 1}: {message}")


def all_at_once(lines: list[str], source: str) -> ConfigError:
    """Every defect of a file as one error; of a file that is no config at all the first hundred."""
    if len(lines) > _MOST_LINES:
        more = len(lines) - _MOST_LINES
        lines = [*lines[:_MOST_LINES], f"{source}: and {more} defects more"]
    return ConfigError("\n".join(lines))


def printable(text: str, most: int = 200) -> str:
    """Text as a message holds it: short, on one line, and without what moves the cursor."""
    escaped = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text[: most + 1])
    return escaped if len(escaped) <= most else escaped[: most - 3] + "..."


def quoted(text: str) -> str:
    """A word of the file as a message quotes it."""
    return repr(text) if len(text) <= 40 else repr(text[:40]) + "..."


def parse(text: str, source: str) -> Document:
    """Read one YAML document.

    Raises
    ------
    ConfigError
        Every defect, each as ``source:line: reason``.
    """
    builder, loader = _Builder(), None
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        value = None if node is None else builder.build(node, ())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        reason = ", ".join(part for part in (error.context, error.problem) if part)
        raise ConfigError(f"{source}:{line}: {printable(reason)}") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        found = f"found the character U+{error.character:04X}; expected printable text"
        raise ConfigError(f"{source}:{line}: {found}") from None
    except (ValueError, OverflowError):
        # PyYAML converts the digits of an escape or of %YAML without looking at them.
        line = loader.get_mark().line + 1 if loader else 1
        reason = "an escape sequence or a directive holds an impossible number"
        raise ConfigError(f"{source}:{line}: {reason}") from None
    if builder.errors:
        raise all_at_once([f"{source}:{error}" for error in builder.errors], source)
    return Document(value, builder.lines)


def dump(value: Any) -> str:
    """Write plain values so that ``parse`` gives them back equal; keys keep their order."""
    text: str = yaml.dump(value, Dumper=_Dumper, sort_keys=False, width=100)
    return text


def inline(value: Any) -> str:
    """Write plain values as ``dump`` does, in one line: ``[1, 2]``, ``{low: 1, high: 2}``."""
    text: str = yaml.dump(
        value, Dumper=_Dumper, sort_keys=False, width=float("inf"), default_flow_style=True
    )
    return text.strip().removesuffix("\n...")
