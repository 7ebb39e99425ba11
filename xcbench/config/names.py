"""Names of data of one's own, which stand for files and folders below the data folder."""

from __future__ import annotations

import re

from pydantic import AfterValidator

from xcbench.config.problems import shown

# No part begins with a dot, so that none is hidden or leaves the folder.
_PART = r"[A-Za-z0-9_][A-Za-z0-9._+=-]*"


def data_name(what: str, *, longest: int, nested: bool = False) -> AfterValidator:
    """The validator of a name.

    Parameters
    ----------
    what : str
        What it names: "a folder".
    longest : int
        Characters.
    nested : bool
        May be a path, ``uci/wine``.
    """
    pattern = re.compile(f"{_PART}(/{_PART})*" if nested else _PART)
    marks = ". _ + = - and /" if nested else ". _ + = -"

    def check(text: str) -> str:
        if len(text) > longest or not pattern.fullmatch(text):
            raise ValueError(
                f"found the name {shown(text)}; expected that of {what} below the data folder, of "
                f"at most {longest} letters, digits and {marks}, no part beginning with a dot"
            )
        return text

    return AfterValidator(check)
