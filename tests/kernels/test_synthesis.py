import numpy as np
import pytest

from xcbench.data.synthesis.tables import make_tables, mixed
from xcbench.kernels import synthesis as kernel

KEY = np.uint64(mixed(7))


@pytest.mark.parametrize("n", [1, 2, 3, 5, 64, 65, 1000])
def test_training_rows_are_scattered_over_every_place_once(n):
    places = [kernel._scattered(row, n, KEY) for row in range(n)]
    assert sorted(places) == list(range(n))


def test_words_come_as_often_as_the_cumulative_frequencies_say():
    tables = make_tables(500, 40, 60, 9.0, 3.0, int(KEY))
    starts = np.concatenate([[0], tables.word_ends[:-1]])
    for word, (start, end) in enumerate(zip(starts, tables.word_ends, strict=True)):
        for place in (start, (start + end) // 2, end - 1):
            bits = np.uint64(int(place) << 16)
            assert kernel._word(bits, tables.word_ends, tables.guide) == word


@pytest.mark.parametrize(
    ("parts", "text"),
    [(1, "0.0001"), (721, "0.0721"), (720, "0.072"), (5000, "0.5"), (9999, "0.9999"), (10000, "1")],
)
def test_values_are_written_as_people_write_them(parts, text):
    out = np.zeros(8, np.uint8)
    assert out[: kernel._write_value(out, 0, parts)].tobytes().decode() == text


@pytest.mark.parametrize("number", [0, 7, 10, 99, 100, 2**31 - 1])
def test_numbers_are_written_in_full(number):
    out = np.zeros(12, np.uint8)
    assert out[: kernel._write_number(out, 0, number)].tobytes().decode() == str(number)
