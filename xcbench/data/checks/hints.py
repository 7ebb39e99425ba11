"""What a defect means and how it is mended, for those who made the file.

The readers say what was found and what was expected; ``xcbench data check`` adds this.
"""

from __future__ import annotations

import re

# What a reader quotes, as in `found 'a b'...`: the text of the file, or how it should look.
_QUOTED = re.compile(r"""(?<!\w)(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?:\.\.\.)?(?!\w)""")

# The first pattern that is found in the reader's sentence, without what is quoted in it, counts.
_HINTS: tuple[tuple[str, str], ...] = (
    (
        "by its name; expected XC text",
        "`xcbench data convert` reads tables of texts (CSV, TSV, JSON lines) and Mulan's ARFF with "
        "its XML, and says what is wrong with them; check what it makes",
    ),
    # Bytes that are no text of this kind.
    (
        "no such file",
        "look at the spelling, and at the folder the path starts from",
    ),
    (
        "cannot be read",
        "you may lack the right to read it, or the disk fails; `ls -l` and `cat` on it tell",
    ),
    (
        "UTF-8 byte order mark",
        "the editor put three invisible bytes before the text; "
        r"`sed -i '1s/^\xef\xbb\xbf//' FILE` removes them",
    ),
    (
        "UTF-16",
        "the file was saved as two bytes a letter; `iconv -f UTF-16 -t UTF-8 FILE > NEW`, and the "
        "byte order mark taken off, makes text of it",
    ),
    (
        "a zip archive|bzip2|an xz file|zstd",
        "unpack it, and pack it with gzip if it is to stay packed",
    ),
    (
        "gzip stream ends early",
        "the file was not copied or downloaded to its end; `gzip -t FILE` must pass",
    ),
    (
        "gzip stream",
        "bytes of the packed file are wrong; get it again, in binary mode: `gzip -t FILE` must "
        "pass",
    ),
    (
        "without a newline",
        "this is no text of rows; a full disk or a failed copy leaves such files",
    ),
    ("NUL byte", "a full disk or a failed copy leaves NUL bytes; write or get the file again"),
    (
        "found a tab",
        "fields are parted by spaces; `tr '\\t' ' ' < FILE > NEW` puts them in place of tabs",
    ),
    (
        "carriage return",
        "line ends of two systems are mixed; `tr '\\r' '\\n' < FILE > NEW` if each of them was "
        "meant as a line end, else `tr -d '\\r' < FILE > NEW`",
    ),
    (
        "found the byte 0x",
        "only numbers stand in this format; text as features or labels must be turned into numbers "
        "first, as `xcbench data convert` does",
    ),
    # The header.
    (
        "two counts are the header of a split-form",
        "features and labels are in files of their own; give both, as trn_X_Xf.txt and trn_X_Y.txt",
    ),
    (
        "three counts are the header",
        "this one file holds features and labels; it is called train.txt or test.txt in a dataset",
    ),
    (
        "read with format libsvm",
        "put a header in the first line: how many rows, features and labels there are, counting "
        "from 0; or say `--base 0` or `--base 1` when the file is to stay without one",
    ),
    (
        "expected a header",
        "the first line states the size: rows, features and labels, as in `4880 1836 159`, of a "
        "file of features or labels alone only rows and columns",
    ),
    (
        "the file is empty",
        "what should have written it stopped before the first row; write or get it again",
    ),
    (
        r"found \S+ (points|features|labels|columns); expected at most 2147483647",
        "more than 32-bit numbers count is not supported; the header may have an extra digit",
    ),
    (
        "the file ends after",
        "rows are missing: the file was cut short, or the first number of the header is too "
        "large; `wc -l FILE` counts the rows and the header",
    ),
    (
        "found an empty line after the last",
        "an empty line is a row without labels and features; remove those at the end of the file, "
        "or raise the first number of the header",
    ),
    (
        "found a row after the last",
        "raise the first number of the header to the number of rows, which is that of `wc -l "
        "FILE` less one",
    ),
    (
        "looks like the header of an XC text",
        "leave out --base: the file has a header and is counted from 0",
    ),
    (
        "found an empty line; a file without a header",
        "give such a row a header to belong to: with `rows features labels` in the first line an "
        "empty row is a point without labels and features",
    ),
    # Labels.
    (
        r"label \S+ is negative",
        "labels are numbers from 0 up; -1, as some tools write for «none», is left out and the row "
        "then starts with a space",
    ),
    (
        r"feature \S+ has a negative index",
        "features are numbers from 0 up; number the columns anew",
    ),
    (
        "ends in a comma",
        "take the comma away, or write the label that should follow it",
    ),
    ("has an empty entry", "two commas stand side by side, or one stands first; take one away"),
    (
        "expected labels '' or a feature",
        "a comma parts labels, a space parts the labels from the features: `3,17 5:0.2 9:1`",
    ),
    (
        "expected labels as in",
        "labels are numbers from 0 up, commas between; names go into Yf.txt, one a line, and their "
        "line less one is the number (`xcbench data convert` does both)",
    ),
    (
        r"is written in \d+ digits",
        "take the leading zeros away",
    ),
    (
        "with base 1 expected 1 or more",
        "the file has an index 0, so it counts from 0: check it with `--base 0`",
    ),
    (
        r"label \d+\S* is out of range; .*header",
        "count labels from 0 (a file that counts from 1 has its largest label one too high), or "
        "raise the third number of the header",
    ),
    (
        r"feature \d+\S* is out of range; .*header",
        "count features from 0 (a file that counts from 1 has its largest index one too high), or "
        "raise the second number of the header",
    ),
    (
        r"(label|feature) \d+\S* is out of range",
        "the number is larger than any index can be; two numbers may have run together",
    ),
    # Features.
    (
        "after a leading space",
        "a row that starts with a space has no labels; if these are labels take the space away",
    ),
    (
        "has no value; expected",
        "write the value too, `7:1` for a feature that is just there",
    ),
    (
        "feature index .* is not a whole number",
        "features are numbers from 0 up; names go into Xf.txt, one a line, and their line less one "
        "is the number",
    ),
    (
        "expected a feature ''",
        "after the labels come pairs `index:value` with spaces between; a `#` comment or a second "
        "label list is not allowed",
    ),
    (
        "is not finite",
        "a nan or an infinity came out of the computation that made the features; leave the entry "
        "out or write 0",
    ),
    (
        "is not a number",
        "write decimals with a point, as 0.25 or 2.5e-3; a comma is no decimal point here",
    ),
    ("too large for float32", "scale the features; no value may pass 3.4e38"),
    (
        r"feature \d+ occurs twice",
        "add the two values up and write the feature once; two columns may have got one number",
    ),
    # Several files together.
    (
        "has the value .*; expected 1",
        "a matrix of labels holds ones only; scores or counts go into features. If it is to be "
        "evaluated, give it as predictions, not as truth",
    ),
    (
        "expected the same number",
        "row i of both files is the same point, so one of them lacks rows or is of another part",
    ),
    (
        r"\b0 rows; the",
        "both parts need a point; `xcbench data split` parts a file anew",
    ),
    (
        r"share \d+ rows",
        "a point is in the training or in the test part, never both; `xcbench data split --splits "
        "N` writes split files anew",
    ),
    (
        "expected column",
        "a split file has a column a split; choose a smaller --split",
    ),
    (
        r"found \d+ columns; expected \d+ as in line 1",
        "every line of a split file has a number for each split; the line was cut or joined",
    ),
    (
        "twice .*expected each row once",
        "a split names a row once; if the rows count from 0 and 1 mixed, write the file anew",
    ),
    (
        "expected a row number of",
        "a split file holds whole numbers only, rows counted from 1, spaces or tabs between",
    ),
    (
        r"row \d+\S* is out of range",
        "split files count rows from 1 to the first number of the data file's header; a 0 means "
        "that they were written counting from 0",
    ),
    (
        "as scipy.sparse.save_npz writes it",
        "write it with scipy.sparse.save_npz; an archive of plain arrays or of objects is not read",
    ),
    (
        "the matrix is inconsistent",
        "its parts contradict each other; make it anew, `check_format()` in scipy says what is "
        "wrong",
    ),
    ("found the shape", "more rows or columns than 32-bit numbers count are not supported"),
    (
        "an entry occurs twice in a row",
        "call `sum_duplicates()` on the matrix in scipy before it is saved",
    ),
    # Names and texts.
    (
        "bytes that are not UTF-8",
        "save the file as UTF-8; of Latin 1 `iconv -f LATIN1 -t UTF-8 FILE > NEW` makes it",
    ),
    (
        r"\d+ names?\b",
        "a line for each index, in order and none left out: line 1 names index 0; a name that "
        "holds a line break takes two lines, so write it without",
    ),
    (
        "no settings of texts|: format |expected distinct terms",
        "the settings of how texts became features are damaged or belong to other names; convert "
        "the texts again with `xcbench data convert`",
    ),
)


# Of a matrix of labels in a file of its own, whose columns its reader calls features: the words in
# place of those above.
_OF_LABELS = (
    ("count features from 0", "count labels from 0"),
    ("features are numbers from 0 up; names go into Xf.txt", "labels are numbers from 0 up; names "
     "go into Yf.txt"),
    ("features are numbers", "labels are numbers"),
    ("for a feature that is just there", "for each label, with spaces between"),
    ("after the labels come pairs `index:value`", "a row is pairs `label:1`"),
    ("; a `#` comment or a second label list", "; a `#` comment or a list with commas"),
    ("a nan or an infinity came out of the computation that made the features; leave the entry out "
     "or write 0", "write 1 for a label that the row has, and leave out the others"),
    ("scale the features; no value may pass 3.4e38", "write 1 for a label that the row has"),
    ("add the two values up and write the feature once", "write the label once"),
)  # fmt: skip


def hint(defect: str, packed: bool = False, of_labels: bool = False) -> str | None:
    """What to do about a defect that a reader states; None if nothing is known about it.

    Parameters
    ----------
    defect : str
    packed : bool
        Of a gzipped file, which commands for texts cannot read.
    of_labels : bool
        Of a file of labels alone.
    """
    stated = _QUOTED.sub("''", defect)
    advice = next((advice for pattern, advice in _HINTS if re.search(pattern, stated)), None)
    if advice is None:
        return None
    if of_labels:
        for ours, theirs in _OF_LABELS:
            advice = advice.replace(ours, theirs)
    if packed and "FILE" in advice and "gzip -t" not in advice:
        return f"unpack it first (`gunzip`), then: {advice}"
    return advice
