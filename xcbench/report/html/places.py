"""Names in the place of paths: where things lie is the machine's affair, not the page's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

# An absolute path, but for its last name; no address, and no fraction such as P@1/P@3.
_ELSEWHERE = re.compile(
    r"(?<=['\"])/[^'\"`<>\n]*/"  # in quotes, with whatever spaces
    r"|(?<![\w./:@~])~?/(?:[^\s/'\"`<>]+/)+"
)
_END = r"(?![\w.-]*\w)"


class Places:
    """Replaces paths in texts: known folders by a name, of others all but the last part.

    Parameters
    ----------
    named : mapping of str to iterable of Path
        The folders of each name (``DATA``), as they were given or in full.
    """

    def __init__(self, named: Mapping[str, Iterable[Path]]) -> None:
        names: dict[str, str] = {}
        for name, folders in named.items():
            for folder in folders:
                for text in {str(folder), str(folder.absolute()), str(folder.resolve())}:
                    # A bare name such as "data" is no secret, and a word of many texts.
                    if len(Path(text).parts) > 1:
                        names.setdefault(text, name)
        self._names = names
        longest_first = sorted(names, key=len, reverse=True)
        known = "|".join(map(re.escape, longest_first)) or r"(?!)"
        self._known = re.compile(rf"(?<![\w.~-])(?:{known}){_END}")

    def hidden(self, value: Any) -> Any:
        """A text, or plain JSON with texts in it, without the paths."""
        if isinstance(value, str):
            named = self._known.sub(lambda found: self._names[found[0]], value)
            return _ELSEWHERE.sub("", named)
        if isinstance(value, Mapping):
            return {self.hidden(key): self.hidden(each) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.hidden(each) for each in value]
        return value
