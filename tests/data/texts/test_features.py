import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from xcbench.data.texts.features import TextFeatures, TextSettings, collapsed
from xcbench.errors import DataError

TEXTS = ["The cat sat", "a cat  ran\nfast", "", "Cat food, cat FOOD", "fast food"]


def counted(texts, settings=TextSettings()):  # noqa: B008 - frozen
    features, X = TextFeatures.fit_transform(texts, settings)
    return dict(zip(features.vocabulary, X.sum(axis=0).tolist(), strict=True)), X


def test_counts_are_of_words_that_two_texts_have_in_the_order_of_the_alphabet():
    counts, X = counted(TEXTS)
    assert list(counts.items()) == [("cat", 4), ("fast", 2), ("food", 3)]
    assert X.toarray().tolist() == [[1, 0, 0], [1, 1, 0], [0, 0, 0], [2, 0, 2], [0, 1, 1]]
    assert X.dtype == np.float32
    assert X.indices.dtype == X.indptr.dtype == np.int32


@given(st.lists(st.text("ab \n", max_size=12), min_size=1, max_size=8))
@settings(max_examples=30, deadline=None)
def test_counts_are_those_of_a_plain_count(texts):
    oracle = [Counter(t for t in text.split() if len(t) > 1) for text in texts]
    known = sorted({term for row in oracle for term in row})
    if not known:
        with pytest.raises(DataError, match="no term is left"):
            TextFeatures.fit(texts, TextSettings(min_df=1))
        return
    features, X = TextFeatures.fit_transform(texts, TextSettings(min_df=1))
    assert features.vocabulary == tuple(known)
    assert X.toarray().tolist() == [[row[term] for term in known] for row in oracle]
    assert (features.transform(texts) != X).nnz == 0


def test_each_setting_does_what_it_says():
    def terms(**given):
        return set(counted(TEXTS, TextSettings(**given))[0])

    assert terms(min_df=3) == {"cat"}
    assert terms(min_df=1, lowercase=False) >= {"Cat", "cat", "FOOD", "food"}
    assert "the" not in terms(min_df=1, stop_words="english")
    assert terms(min_df=1, ngram_range=(2, 2)) >= {"cat ran", "ran fast"}
    assert terms(min_df=1, token_pattern=r"\ba\b") == {"a"}
    accented = ["café", "cafe"]
    assert set(counted(accented, TextSettings(strip_accents="unicode"))[0]) == {"cafe"}


def test_of_equally_frequent_terms_the_first_of_the_alphabet_are_kept():
    texts = ["dd cc bb aa ee", "ee"]
    counts, _ = counted(texts, TextSettings(min_df=1, max_features=3))
    assert list(counts) == ["aa", "bb", "ee"]


def test_what_is_saved_reads_new_texts_alike(tmp_path):
    chosen = TextSettings(ngram_range=(1, 2), min_df=1, max_features=5, lowercase=False)
    features = TextFeatures.fit(TEXTS, chosen)
    features.save(tmp_path)
    again = TextFeatures.open(tmp_path)
    assert again == features
    new = ["cat sat on FOOD", "unheard of"]
    assert again.transform(new).toarray().tolist() == features.transform(new).toarray().tolist()
    assert again.transform(new)[[1]].nnz == 0
    assert again.transform([]).shape == (0, 5)


def test_a_folder_that_is_not_of_texts_has_no_text_features(tmp_path):
    assert TextFeatures.open(tmp_path) is None


@pytest.mark.parametrize(
    ("note", "reason"),
    [
        ("{", "no settings of texts"),
        ("[]", "no settings of texts"),
        ('{"format": 2, "settings": {}}', "format 2; expected 1"),
        ('{"format": 1, "settings": {"min_df": 0}}', "greater than or equal to 1"),
        ('{"format": 1, "settings": {"colour": 1}}', "Extra inputs"),
        ('{"format": 1, "settings": {"token_pattern": "("}}', "no regular expression"),
        ("[" * 100_000, "no settings of texts"),
    ],
)
def test_a_damaged_note_is_told(note, reason, tmp_path):
    (tmp_path / "Xf.txt").write_text("cat\n")
    (tmp_path / "text.json").write_text(note)
    with pytest.raises(DataError, match=reason):
        TextFeatures.open(tmp_path)


@pytest.mark.parametrize("vocabulary", ["", "cat\ncat\n"])
def test_a_damaged_vocabulary_is_told(vocabulary, tmp_path):
    note = {"format": 1, "settings": {}}
    (tmp_path / "text.json").write_text(json.dumps(note))
    (tmp_path / "Xf.txt").write_text(vocabulary)
    with pytest.raises(DataError, match="expected distinct terms"):
        TextFeatures.open(tmp_path)


@pytest.mark.parametrize("given", [{"ngram_range": (2, 1)}, {"token_pattern": "(a)(b)"}])
def test_settings_without_meaning_are_refused(given):
    with pytest.raises(ValidationError):
        TextSettings(**given)


def test_white_space_is_collapsed_whatever_it_is():
    assert collapsed(" a\r\n\tb\u2028c\xa0d \x85") == "a b c d"


def test_one_string_is_no_list_of_texts():
    with pytest.raises(TypeError, match="expected a list of texts"):
        TextFeatures.fit("fast food", TextSettings(min_df=1))
    with pytest.raises(TypeError, match="expected a list of texts"):
        TextFeatures.fit(TEXTS, TextSettings()).transform("fast food")
