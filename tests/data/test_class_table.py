"""Tables of classified points: what is read, and what is refused and where."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xcbench.data.class_table import LARGEST, find_class_table, read_class_table
from xcbench.errors import DataError


@pytest.fixture
def table(tmp_path):
    def write(text):
        path = tmp_path / "t.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_numbers_stay_numbers_and_words_become_indicators(table):
    read = read_class_table(table("a,b,class\n1.5,red,y\n-2e1,blue,x\n3,red,y\n"))
    assert read.features == ("a", "b=blue", "b=red")
    np.testing.assert_array_equal(read.X, [[1.5, 0, 1], [-20, 1, 0], [3, 0, 1]])
    assert read.classes == ("x", "y")
    np.testing.assert_array_equal(read.y, [1, 0, 1])


def test_a_missing_number_is_nan_and_a_missing_word_has_no_indicator(table):
    read = read_class_table(table("a,b,class\n?,red,y\n2,?,x\n"))
    np.testing.assert_array_equal(read.X, [[np.nan, 1], [2, 0]])


def test_a_column_without_any_value_stays_as_numbers_that_are_missing(table):
    read = read_class_table(table("a,b,class\n?,1,y\n?,2,x\n"))
    np.testing.assert_array_equal(read.X, [[np.nan, 1], [np.nan, 2]])


def test_a_byte_order_mark_blank_lines_spaces_and_quotes_are_no_part_of_a_value(table):
    read = read_class_table(table(b'\xef\xbb\xbfa,class\r\n\r\n 1 ,"x, y"\r\n2, z\r\n\r\n'))
    assert read.features == ("a",)
    assert read.classes == ("x, y", "z")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "t.csv: the file is empty"),
        ("a,class\n", "t.csv: found a header alone"),
        ("class\nx\ny\n", "t.csv:1: found one column"),
        ("a,,class\n1,2,x\n", "t.csv:1: column 2 has no name"),
        ("a,b,a\n1,2,x\n", "t.csv:1: found the column 'a' twice"),
        ("a,class\n1,x\n1,2,y\n", "t.csv:3: found 3 cells; expected 2"),
        ("a,class\n1,x\n\n1\n", "t.csv:4: found 1 cells; expected 2"),
        ("a,class\n1,x\n2,\n", "t.csv:3: the class is missing"),
        ("a,class\n1,x\n2,?\n", "t.csv:3: the class is missing"),
        ("a,class\n1,x\n,y\n", "t.csv:3: a is empty"),
        ("a,class\n1,x\ninf,y\n", "t.csv:3: a: found 'inf'; expected a finite number"),
        ("a,class\nNaN,x\n1,y\n", "t.csv:2: a: found 'NaN'; expected a finite number"),
        ("a,class\n1e999,x\n1,y\n", "t.csv:2: a: found '1e999'; expected a finite number"),
        ("a,class\n1,x\n-1e199,y\n", "t.csv:3: a: found '-1e199'; expected a finite number of"),
        ("a,class\n1,x\n2x,y\n", "t.csv:3: a: found '2x' in a column that has numbers too"),
        ("a,class\n1,x\n1_0,y\n", "t.csv:3: a: found '1_0' in a column that has numbers too"),
        ("a,class\n1,x\n2,x\n", "t.csv: found the class 'x' alone"),
        (b"a,class\n1,x\n2,\xff\n", "t.csv:3: found bytes that are not UTF-8"),
        ('a,class\n1,"x\n', "t.csv:2: no CSV"),
    ],
)
def test_what_is_no_table_is_refused_with_file_and_line(table, text, message):
    with pytest.raises(DataError) as caught:
        read_class_table(table(text))
    assert message in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DataError, match=r"'uci/wine' is not in place: no file .*uci/wine\.csv"):
        find_class_table("uci/wine", tmp_path)
    (tmp_path / "uci").mkdir()
    (tmp_path / "uci" / "wine.csv").touch()
    assert find_class_table("uci/wine", tmp_path) == tmp_path / "uci" / "wine.csv"


@pytest.mark.parametrize("name", ["../wine", "/etc/wine", "uci/../../wine"])
def test_a_name_never_leaves_the_data_folder(tmp_path, name):
    with pytest.raises(DataError, match="leaves the data folder"):
        find_class_table(name, tmp_path)


@settings(deadline=None, max_examples=50)
@given(
    rows=st.lists(
        st.tuples(st.floats(-LARGEST, LARGEST), st.sampled_from("xyz")),
        min_size=2, max_size=20,
    ).filter(lambda rows: len({label for _, label in rows}) > 1)
)  # fmt: skip
def test_numbers_and_classes_come_back_as_written(tmp_path_factory, rows):
    path = tmp_path_factory.getbasetemp() / "round.csv"
    path.write_text("a,class\n" + "".join(f"{value!r},{label}\n" for value, label in rows))
    read = read_class_table(path)
    np.testing.assert_array_equal(read.X[:, 0], [value for value, _ in rows])
    assert [read.classes[number] for number in read.y] == [label for _, label in rows]


@settings(deadline=None, max_examples=100)
@given(data=st.binary(max_size=200) | st.text('a1,"?\n\r x', max_size=60).map(str.encode))
def test_bytes_are_a_table_or_a_data_error(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(data)
    try:
        read = read_class_table(path)
    except DataError as error:
        assert str(error).startswith(str(path))
    else:
        assert read.X.shape == (read.y.size, len(read.features))


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("name", "n", "d", "counts"),
    [
        ("wine", 178, 13, (59, 71, 48)),
        ("ionosphere", 351, 34, (126, 225)),
        ("balance-scale", 625, 4, (49, 288, 288)),
        ("iris", 150, 4, (50, 50, 50)),
        ("soybean-small", 47, 35, (10, 10, 10, 17)),
    ],
)
def test_the_uci_sets_have_the_documented_sizes(data_root, name, n, d, counts):
    read = read_class_table(find_class_table(f"uci/{name}", data_root))
    assert read.X.shape == (n, d)
    assert tuple(np.bincount(read.y)) == counts
    assert np.isfinite(read.X).all()


@pytest.mark.realdata
def test_soybean_has_an_indicator_for_each_word_and_none_where_a_cell_is_missing(data_root):
    read = read_class_table(find_class_table("uci/soybean", data_root))
    assert read.X.shape[0] == 683
    assert len(read.classes) == 19
    assert set(np.unique(read.X)) == {0.0, 1.0}
    assert read.X.sum() == 683 * 35 - 2337
