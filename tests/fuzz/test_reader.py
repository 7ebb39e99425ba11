"""The readers against the slow reference: a fixed sample, and files that hypothesis makes."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz import mutate, reader, reference
from tests.fuzz.campaign import failure_of
from tests.fuzz.reader import BLOCKS, Case, check, difference
from xcbench.data.xc_text import XCText

N_SAMPLED = 2000

SPACES = st.sampled_from([" "] * 6 + ["  ", "   "])
VALUES = st.one_of(
    st.sampled_from(["1", "0", "-2", ".5", "1e3", "1.000000059604644775390625", "1e-50", "1e38"]),
    st.floats(width=32, allow_nan=False, allow_infinity=False).map(repr),
    st.builds("{}.{}e{}".format, st.integers(), st.integers(0, 10**20), st.integers(-60, 60)),
)


@st.composite
def texts(draw):
    d, n_labels, n = draw(st.integers(1, 12)), draw(st.integers(1, 6)), draw(st.integers(0, 5))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    lines = [f"{n} {d} {n_labels}"]
    for _ in range(n):
        labels = draw(st.lists(st.integers(0, n_labels - 1), max_size=4))
        features = draw(st.lists(st.integers(0, d - 1), max_size=5, unique=True))
        line = draw(st.sampled_from([",", ", "])).join(map(str, labels))
        for feature in features:
            line += f"{draw(SPACES)}{feature}:{draw(VALUES)}"
        lines.append(line + draw(st.sampled_from(["", "", " "])))
    return (end.join(lines) + draw(st.sampled_from([end, end, ""]))).encode()


@st.composite
def mutated(draw):
    text = bytearray(draw(texts()))
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(text)))
        stop = min(len(text), place + draw(st.integers(0, 12)))
        kind = draw(st.sampled_from(["insert", "delete", "replace", "repeat", "cut"]))
        if kind == "insert":
            text[place:place] = draw(st.sampled_from(mutate.TOKENS))
        elif kind == "delete":
            del text[place:stop]
        elif kind == "replace":
            text[place:stop] = draw(st.binary(max_size=3))
        elif kind == "repeat":
            text[place:place] = text[place:stop]
        else:
            del text[place:]
    return bytes(text)


@pytest.mark.parametrize("start", range(0, N_SAMPLED, 500))
def test_damaged_files_are_read_or_refused_as_the_slow_reader_does(start):
    failures = [failure_of(check, number) for number in range(start, start + 500)]
    assert [failure for failure in failures if failure] == []


@settings(deadline=None, max_examples=120)
@given(text=mutated(), block_bytes=st.sampled_from(BLOCKS), packed=st.booleans())
def test_mutated_text_is_read_or_refused_as_the_slow_reader_does(text, block_bytes, packed):
    data = gzip.compress(text, mtime=0) if packed else text
    assert difference(Case("xc", data, block_bytes), reader.scratch_file()) is None


def test_the_sample_has_both_sound_and_damaged_files_of_every_form():
    kinds = set()
    for number in range(N_SAMPLED):
        case = reader.made(number)
        right = reader.expected(case)
        defect = right.kind if isinstance(right, reference.Defect) else "none"
        kinds |= {defect, (case.form, defect == "none")}
    forms = ("xc", "split form", "libsvm 0", "libsvm 1", "rows 1", "rows 2")
    assert {(form, sound) for form in forms for sound in (True, False)} <= kinds
    assert set(reader.SAYS) - {"packed"} <= kinds


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (lambda content: XCText(content.X[:, ::-1], content.Y), "read "),
        (lambda content: XCText(content.X, content.Y, content.n_duplicate_labels + 1), "read "),
        (lambda content: XCText(abs(content.X), content.Y), "read "),
    ],
    ids=["columns turned round", "a count more", "a sign lost"],
)
def test_a_reader_that_reads_otherwise_is_told(broken, complaint, monkeypatch):
    original = reader.read_xc
    monkeypatch.setattr(reader, "read_xc", lambda path: broken(original(path)))
    found = difference(Case("xc", b"2 3 2\n0 0:-0 1:2\n1 2:1\n"), reader.scratch_file())
    assert found
    assert found.startswith(complaint)


def test_a_reader_that_accepts_or_refuses_otherwise_is_told(monkeypatch):
    sound, damaged = Case("xc", b"1 3 2\n0 0:1\n"), Case("xc", b"1 3 2\n0 0:nan\n")
    path = reader.scratch_file()
    assert difference(sound, path) is difference(damaged, path) is None
    original = reader.read_xc

    def other_case(path):
        path.write_bytes(sound.data if b"nan" in path.read_bytes() else damaged.data)
        return original(path)

    monkeypatch.setattr(reader, "read_xc", other_case)
    assert difference(sound, path).startswith("refused, but is well formed")
    assert difference(damaged, path).startswith("accepted, but has a defect")


def test_a_run_that_raises_or_never_ends_is_a_failure(monkeypatch):
    monkeypatch.setattr("tests.fuzz.campaign.SECONDS_PER_INPUT", 0.05)

    def wait(number):
        while True:
            pass

    def crash(number):
        raise IndexError("out of bounds")

    assert failure_of(wait, 0) == "takes longer than 0.05 s"
    assert "IndexError: out of bounds" in failure_of(crash, 0)


@pytest.fixture(autouse=True, scope="module")
def no_scratch_file_stays():
    yield
    reader.scratch_file().unlink(missing_ok=True)
