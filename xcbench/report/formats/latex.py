"""A table as a LaTeX document of its own; its tables can be taken out as they are.

Standard packages only, and ASCII only, so that any LaTeX compiles it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from xcbench.report.document import Block, Cell, Table
from xcbench.report.formats.common import LEGEND, MARKS, footnotes, grid, has_marks

_PREAMBLE = r"""% Tables by xcbench; they need the packages booktabs and longtable.
\documentclass{article}
\usepackage[landscape,margin=1.2cm]{geometry}
\usepackage{booktabs}
\usepackage{longtable}
\setlength{\tabcolsep}{2.5pt}
\setlength{\parindent}{0pt}
\begin{document}
\scriptsize
"""
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    "−": r"$-$",
    "×": r"$\times$",
    "Δ": r"$\Delta$",
    "↑": r"$\uparrow$",
}
_RAISED = {"~": r"\sim", "↑": r"\uparrow"}


def as_latex(table: Table) -> str:
    """A document with a longtable for each block."""
    parts = [_PREAMBLE + rf"\section*{{{escaped(table.title)}}}"]
    for block in table.blocks:
        parts.append("\n".join(_longtable(table, block)))
        parts += [_paragraph(note) for note in footnotes(block)]
    parts += [rf"\textbf{{bold}}{escaped(LEGEND)}\par"] if has_marks(table) else []
    parts += [_paragraph(note) for note in table.notes]
    return "\n".join([*parts, r"\end{document}", ""])


def escaped(text: str) -> str:
    """Text as it is, in ASCII; a letter without an ASCII form is a question mark."""
    return "".join(_SPECIAL.get(c) or _ascii(c) for c in text)


def _ascii(letter: str) -> str:
    if letter.isspace():
        return " "
    plain = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
    return plain if plain.isprintable() and plain else "?"


def _paragraph(note: str) -> str:
    return rf"{escaped(note)}\par"


def _longtable(table: Table, block: Block) -> Iterator[str]:
    headings, rows = grid(table, block, _marked)
    yield rf"\begin{{longtable}}{{@{{}}l{'r' * (len(headings) - 2)}l@{{}}}}"
    if block.title:
        title = rf"\textbf{{{escaped(block.title)}}}"
        yield rf"\multicolumn{{{len(headings)}}}{{@{{}}l@{{}}}}{{{title}}} \\"
    yield r"\toprule"
    yield " & ".join(escaped(heading) for heading in headings) + r" \\"
    yield r"\midrule"
    yield r"\endhead"
    yield r"\bottomrule"
    yield r"\endfoot"
    for label, *values, source in rows:
        yield " & ".join(["{}" + escaped(label), *values, escaped(source)]) + r" \\"
    yield r"\end{longtable}"


def _marked(cell: Cell) -> str:
    number, plus_minus, spread = cell.text.partition(" ± ")
    text = escaped(number)
    if cell.standing == "best":
        text = rf"\textbf{{{text}}}"
    if plus_minus:
        text += rf"{{\tiny$\,\pm\,${escaped(spread)}}}"
    mark = MARKS[cell.standing]
    return text + (rf"\rlap{{$^{_RAISED[mark]}$}}" if mark else "")
