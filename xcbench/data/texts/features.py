"""Texts as counts of terms: scikit-learn's vectorizer, with a vocabulary that is kept.

A dataset made of texts says in ``text.json`` how they were read; the vocabulary is its ``Xf.txt``.
So the same texts give the same features again elsewhere, which is what predicting from text needs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Self

import numpy as np
from pydantic import AfterValidator, Field, ValidationError
from scipy import sparse

from xcbench.config.base import Count, Settings
from xcbench.data.matrix import csr
from xcbench.data.names import FEATURE_NAMES, read_names, write_names
from xcbench.data.whole.file import whole_file
from xcbench.errors import DataError

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import CountVectorizer

TEXT_SETTINGS = "text.json"
_FORMAT = 1


def _ascending(ngrams: tuple[int, int]) -> tuple[int, int]:
    if ngrams[0] > ngrams[1]:
        raise ValueError(f"found {ngrams}; expected the shorter length first")
    return ngrams


def _pattern(text: str) -> str:
    try:
        groups = re.compile(text).groups
    except re.error as error:
        raise ValueError(f"no regular expression ({error})") from None
    if groups > 1:
        raise ValueError(f"found {groups} groups; expected at most one, the token")
    return text


class TextSettings(Settings):
    """How a text becomes terms, under the names of scikit-learn's ``CountVectorizer``.

    The defaults are scikit-learn's but for ``min_df``: a term that only one training text has tells
    nothing about any other, and such terms are often half of all.
    """

    lowercase: bool = True
    strip_accents: Literal["ascii", "unicode"] | None = None
    ngram_range: Annotated[
        tuple[Annotated[int, Field(ge=1, le=9)], Annotated[int, Field(ge=1, le=9)]],
        Field(strict=False),
        AfterValidator(_ascending),
    ] = (1, 1)
    stop_words: Literal["english"] | None = None
    token_pattern: Annotated[str, AfterValidator(_pattern)] = r"(?u)\b\w\w+\b"
    min_df: Count = 2
    max_features: Count | None = None


def collapsed(text: str) -> str:
    """The text with every run of white space as one space, and none at its ends."""
    return " ".join(text.split())


@dataclass(frozen=True)
class TextFeatures:
    """A vocabulary and how texts are read with it.

    Attributes
    ----------
    settings : TextSettings
    vocabulary : tuple of str
        The terms; term i is feature i.
    """

    settings: TextSettings
    vocabulary: tuple[str, ...]

    @classmethod
    def fit(cls, texts: Iterable[str], settings: TextSettings) -> Self:
        """Take the vocabulary from texts, in the order of the alphabet.

        Raises
        ------
        DataError
            No term is left.
        """
        return cls.fit_transform(texts, settings)[0]

    @classmethod
    def fit_transform(
        cls, texts: Iterable[str], settings: TextSettings
    ) -> tuple[Self, sparse.csr_array]:
        """Take the vocabulary from texts, and count its terms in them, in one pass.

        ``max_features`` keeps the most frequent terms, the first of the alphabet where counts are
        equal (scikit-learn leaves that to its sort, which differs between processors).
        """
        _require_several(texts)
        vectorizer = _vectorizer(settings, None)
        try:
            counts = _canonical(vectorizer.fit_transform(map(collapsed, texts)))
        except ValueError:
            raise _no_term(settings) from None
        terms = vectorizer.get_feature_names_out()
        n_texts = np.bincount(counts.indices, minlength=len(terms))
        kept = np.flatnonzero(n_texts >= settings.min_df)
        if settings.max_features is not None:
            total = np.bincount(counts.indices, counts.data, len(terms))[kept]
            kept = np.sort(kept[np.lexsort((kept, -total))[: settings.max_features]])
        if not kept.size:
            raise _no_term(settings)
        features = cls(settings, tuple(map(str, terms[kept])))
        return features, _canonical(counts[:, kept])

    def transform(self, texts: Iterable[str]) -> sparse.csr_array:
        """Count the terms of texts.

        Returns
        -------
        csr_array of float32, shape (n, d)
            Canonical. Words the vocabulary lacks are left out; a text may have no term at all.

        Raises
        ------
        TypeError
            One string is given, whose letters would be the texts.
        """
        _require_several(texts)
        return _canonical(self._counter.transform(map(collapsed, texts)))

    @cached_property
    def _counter(self) -> CountVectorizer:
        return _vectorizer(self.settings, {term: i for i, term in enumerate(self.vocabulary)})

    def save(self, folder: Path) -> None:
        """Write ``text.json`` and ``Xf.txt`` to a folder.

        Raises
        ------
        DataError
            They cannot be written, or a term holds a line break.
        """
        write_names(folder / FEATURE_NAMES, self.vocabulary)
        note = {"format": _FORMAT, "settings": self.settings.model_dump(mode="json")}
        with whole_file(folder / TEXT_SETTINGS) as stream:
            stream.write((json.dumps(note, indent=1) + "\n").encode())

    @classmethod
    def open(cls, folder: Path) -> Self | None:
        """Read what ``save`` wrote; None if the folder is not of texts.

        Raises
        ------
        DataError
            The files are damaged, or written by another version in another way.
        """
        path = folder / TEXT_SETTINGS
        if not path.is_file():
            return None
        try:
            note = json.loads(path.read_bytes())
            if note["format"] != _FORMAT:
                raise DataError(f"{path}: format {note['format']!r}; expected {_FORMAT}")
            settings = TextSettings.model_validate(note["settings"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error
            raise DataError(f"{path}: no settings of texts ({reason})") from None
        vocabulary = read_names(folder / FEATURE_NAMES)
        if len(set(vocabulary)) < len(vocabulary) or not vocabulary:
            raise DataError(f"{folder / FEATURE_NAMES}: expected distinct terms, at least one")
        return cls(settings, vocabulary)


def _require_several(texts: Iterable[str]) -> None:
    """A string is an iterable of strings too: of its letters."""
    if isinstance(texts, str):
        raise TypeError("found one string; expected a list of texts, as in ['one text']")


def _vectorizer(settings: TextSettings, vocabulary: dict[str, int] | None) -> CountVectorizer:
    from sklearn.feature_extraction.text import CountVectorizer

    return CountVectorizer(
        **settings.model_dump(exclude={"min_df", "max_features"}),
        vocabulary=vocabulary,
        dtype=np.float32,
    )


def _canonical(counts: sparse.spmatrix) -> sparse.csr_array:
    counts = counts.tocsr()
    counts.sort_indices()
    return csr(
        counts.data, counts.indices.astype(np.int32), counts.indptr.astype(np.int32), counts.shape
    )


def _no_term(settings: TextSettings) -> DataError:
    return DataError(
        f"no term is left of the training texts; expected at least one in {settings.min_df} of "
        "them or more (min_df)"
    )
