import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xcbench.kernels import parse

LIMIT = 2**31 - 1


class Parsed:
    """What the kernel makes of some text, with arrays cut to what it filled."""

    def __init__(self, text, max_rows=LIMIT, d=LIMIT, n_labels=LIMIT, base=0, **options):
        block = np.frombuffer(text, np.uint8)
        room = block.size // 2 + 1
        features, values = np.empty(room, np.int32), np.empty(room, np.float32)
        labels = np.empty(room, np.int32)
        ends = np.empty((2, block.size), np.int64)
        patches, result = np.empty((room, 4), np.int64), np.empty(parse.N_RESULTS, np.int64)
        parse.parse_rows(
            block,
            max_rows,
            d,
            n_labels,
            base,
            options.get("with_labels", True),
            options.get("blank_rows", True),
            features,
            values,
            labels,
            ends[0],
            ends[1],
            patches,
            result,
        )
        rows = result[parse.ROWS]
        self.code, self.start, self.merged = result[[parse.CODE, parse.START, parse.MERGED]]
        self.index = result[parse.INDEX]
        self.features = features[: result[parse.FEATURES]].tolist()
        self.values = values[: result[parse.FEATURES]]
        self.labels = labels[: result[parse.LABELS]].tolist()
        self.feature_ends, self.label_ends = ends[0, :rows].tolist(), ends[1, :rows].tolist()
        self.patches = patches[: result[parse.PATCHES]].tolist()


def value_of(token):
    """The float32 of a token; where the kernel was not certain, as its caller converts it."""
    parsed = Parsed(b" 0:" + token + b"\n")
    assert parsed.code == parse.OK
    if parsed.patches:
        [[row, feature, start, stop]] = parsed.patches
        assert (row, feature) == (0, 0)
        assert (b" 0:" + token)[start:stop] == token
        return np.float32(float(token))
    return parsed.values[0]


def same_bits(a, b):
    return np.float32(a).tobytes() == np.float32(b).tobytes()


def test_rows_are_filled_in_order_with_their_ends():
    parsed = Parsed(b"3,5 0:1 7:2.5\n 1:4\n\n9\n")
    assert (parsed.features, parsed.feature_ends) == ([0, 7, 1], [2, 3, 3, 3])
    assert (parsed.labels, parsed.label_ends) == ([3, 5, 9], [2, 2, 2, 3])
    assert parsed.values.tolist() == [1.0, 2.5, 4.0]


def test_unsorted_features_take_their_values_along():
    order = np.random.default_rng(0).permutation(500)
    row = " ".join(f"{f}:{f}.5" for f in order)
    parsed = Parsed(f"1 {row}\n".encode())
    assert parsed.features == list(range(500))
    np.testing.assert_array_equal(parsed.values, np.arange(500) + np.float32(0.5))


def test_repeated_labels_are_merged_and_counted():
    parsed = Parsed(b"5,3,5,5,1 0:1\n2,2\n")
    assert (parsed.labels, parsed.label_ends, parsed.merged) == ([1, 3, 5, 2], [3, 4], 3)


def test_a_repeated_feature_is_found_in_a_row_out_of_order():
    parsed = Parsed(b" 1:1\n 9:1 4:1 9:2\n")
    assert (parsed.code, parsed.start, parsed.index) == (parse.DUPLICATE_FEATURE, 5, 9)
    assert parsed.feature_ends == [1]  # the rows before it are there


def test_the_base_is_subtracted_from_features_and_labels():
    parsed = Parsed(b"1,3 1:1 4:1\n", d=4, n_labels=3, base=1)
    assert (parsed.code, parsed.features, parsed.labels) == (parse.OK, [0, 3], [0, 2])
    assert Parsed(b"1 0:1\n", base=1).code == parse.FEATURE_RANGE
    assert Parsed(b"0 1:1\n", base=1).code == parse.LABEL_RANGE


@pytest.mark.parametrize(
    "digits", ["2147483647", "4294967296", "18446744073709551616", "9" * 25, "1" + "0" * 40]
)
def test_indices_beyond_int32_do_not_wrap(digits):
    assert Parsed(f" {digits}:1\n".encode()).code == parse.FEATURE_RANGE
    assert Parsed(f"{digits} 1:1\n".encode()).code == parse.LABEL_RANGE


def test_parsing_stops_after_max_rows():
    parsed = Parsed(b"1\n2\n3\n", max_rows=2)
    assert (parsed.code, parsed.start, parsed.labels) == (parse.EXTRA_ROW, 4, [1, 2])


def test_read_only_text_is_accepted(tmp_path):
    path = tmp_path / "rows.txt"
    path.write_bytes(b"1 2:3\n")
    mapped = np.memmap(path, np.uint8, mode="r")
    assert Parsed(mapped).features == [2]


@pytest.mark.parametrize(
    "token",
    [
        "1",
        "1.",
        ".5",
        "+2",
        "-0",
        "0.1",
        "1e3",
        "1E-3",
        "1e+3",
        "000012.5000",
        "0e999",
        "3.4028235e38",
    ],
)
def test_decimal_forms(token):
    assert same_bits(value_of(token.encode()), float(token))


@pytest.mark.parametrize(
    "token",
    [
        "1.000000059604644775390625",  # halfway between two float32
        "1.00000005960464477539062500000000000000000001",
        "1.000000059604644775390624999999999999999999",
        "0.12345678901234567890123456789",
        "123456789012345678901234567890",
        "1.17549428e-38",  # subnormal
        "1.4012984643248170e-45",
        "7.0064923216240853e-46",  # halfway between 0 and the least float32
        "1e-46",
        "1e-400",
        "1" + "0" * 30 + "e-30",
        "0." + "0" * 400 + "1e400",
    ],
)
def test_values_round_twice_as_python_and_numpy_do(token):
    assert same_bits(value_of(token.encode()), float(token))


@pytest.mark.parametrize(
    "token", ["3.5e38", "1e39", "-1e39", "1e400", "9" * 50, "1e99999999999999"]
)
def test_values_beyond_float32_are_a_defect(token):
    assert Parsed(f" 0:{token}\n".encode()).code == parse.VALUE_RANGE


@pytest.mark.parametrize("token", ["", ".", "-", "+-1", "1e", "1e+", "1.2.3", "0x10", "nan", "1_0"])
def test_malformed_values_are_a_defect(token):
    assert Parsed(f" 0:{token}\n".encode()).code == parse.VALUE_SYNTAX


@settings(deadline=None, max_examples=300)
@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_every_float32_reads_back(value):
    for text in (repr(value), f"{value:.9g}", f"{value:.17g}"):
        assert same_bits(value_of(text.encode()), value)


@settings(deadline=None, max_examples=500)
@given(
    whole=st.text("0123456789", max_size=25),
    part=st.text("0123456789", max_size=25),
    exponent=st.integers(-60, 30),
)
def test_every_decimal_is_the_float32_of_its_float64(whole, part, exponent):
    text = f"{whole}.{part}0e{exponent}"
    with np.errstate(over="ignore"):
        expected = np.float32(float(text))
    if np.isinf(expected):
        assert Parsed(f" 0:{text}\n".encode()).code == parse.VALUE_RANGE
    else:
        assert same_bits(value_of(text.encode()), expected)


@settings(deadline=None, max_examples=200)
@given(st.floats(min_value=2.0**-100, max_value=2.0**100, width=32), st.integers(-3, 3))
def test_values_near_a_midpoint_round_to_the_right_side(value, ulps):
    # The float64 midpoint to the next float32, moved by a few units in the last place.
    middle = (float(value) + float(np.nextafter(np.float32(value), np.float32(np.inf)))) / 2
    for _ in range(abs(ulps)):
        middle = float(np.nextafter(middle, np.inf if ulps > 0 else -np.inf))
    assert same_bits(value_of(f"{middle:.17g}".encode()), middle)


def test_the_kernel_is_compiled_when_its_module_is_imported():
    # Workers must find it in the cache; nothing may be left to compile at the first call.
    code = "import pickle, sys; from xcbench.kernels import parse; "
    code += "sys.stdout.buffer.write(pickle.dumps(len(parse.parse_rows.signatures)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert pickle.loads(done.stdout) == 1
