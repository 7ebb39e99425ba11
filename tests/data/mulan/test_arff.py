import gzip
import io

import numpy as np
import pytest
from scipy.io.arff import loadarff

from xcbench.data.mulan.arff import read_label_names, read_mulan
from xcbench.data.names import Names
from xcbench.errors import DataError

HEAD = """% a comment
@relation 'emotions: -C 2'

@ATTRIBUTE mean real
@attribute 'a, b' NUMERIC
@attribute happy {0,1}
@Attribute flag {0, 1}
@attribute "sad ones" {0,1}

@DATA
"""
XML = """<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
<label name="sad ones"></label>
<label name="happy"></label>
</labels>
"""


def mulan(tmp_path, text, xml=XML):
    arff, labels = tmp_path / "a.arff", tmp_path / "a.xml"
    arff.write_bytes(text if isinstance(text, bytes) else text.encode())
    labels.write_text(xml)
    return read_mulan(arff, labels)


def dense(found):
    return found.content.X.toarray().tolist(), found.content.Y.toarray().tolist()


@pytest.mark.parametrize(
    "rows",
    [
        "0.5,-2e3,1,0,0\n0,0,0,1,1\n",
        "{0 0.5,1 -2e3,2 1}\n{3 1,4 1}\n",
        "{ 2 1 , 1 -2e3, 0 .5 }\n% between\n\n 0 , 0,'0',1,\"1\"\n",
        "{0 0.5,1 '-2000',2 1}\r\n{3 1,4 1}",
    ],
    ids=["dense", "sparse", "mixed", "quoted"],
)
def test_dense_and_sparse_rows_are_the_same(rows, tmp_path):
    found = mulan(tmp_path, HEAD + rows)
    assert dense(found) == ([[0.5, -2000, 0], [0, 0, 1]], [[1, 0], [0, 1]])
    # Labels are in the order of the attributes.
    assert found.names == Names(("happy", "sad ones"), ("mean", "a, b", "flag"))
    assert found.content.X.has_canonical_format
    assert found.content.Y.data.tolist() == [1, 1]


def test_dense_rows_are_as_scipy_reads_them(tmp_path):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(20, 5)) * 10.0 ** rng.integers(-9, 9, (20, 5))
    values[:, 2:] = rng.random((20, 3)) < 0.5
    lines = [",".join(f"{v:.17g}" for v in row) for row in values.tolist()]
    text = HEAD.replace("'a, b'", "ab").replace("{0, 1}", "{0,1}") + "\n".join(lines)
    oracle, _ = loadarff(io.StringIO(text.replace('"sad ones"', "'sad ones'")))
    columns = {name: oracle[name].astype(np.float64) for name in oracle.dtype.names}
    found = mulan(tmp_path, text)
    for matrix, names in zip(
        (found.content.X, found.content.Y), (found.names.features, found.names.labels), strict=True
    ):
        for i, name in enumerate(names):
            assert matrix.toarray()[:, i].tolist() == columns[name].astype(np.float32).tolist()


def test_gzip_is_told_by_its_bytes(tmp_path):
    assert dense(mulan(tmp_path, gzip.compress((HEAD + "1,2,1,1,1").encode())))[0] == [[1, 2, 1]]


def test_a_zero_is_an_entry_where_a_sparse_row_states_it(tmp_path):
    found = mulan(tmp_path, HEAD + "{0 0}\n0,0,0,0,0\n{}\n")
    assert found.content.X.indptr.tolist() == [0, 1, 1, 1]
    assert found.content.Y.nnz == 0


NOMINAL = """@relation x
@attribute colour {red, 'dark blue', "it's"}
@attribute odd {1,0}
@attribute size numeric
@attribute l {0,1}
@data
"""


def test_nominal_attributes_become_a_feature_a_value(tmp_path):
    rows = "'dark blue',1,2,1\n{0 'it\\'s', 1 0,3 1}\n{2 3}\n\"it's\",0,0,0\n"
    found = mulan(tmp_path, NOMINAL + rows, '<labels><label name="l"/></labels>')
    names = ("colour=red", "colour=dark blue", "colour=it's", "odd", "size")
    assert found.names == Names(("l",), names)
    # A sparse row leaves out the first value of a nominal attribute, not the value 0.
    assert found.content.X.toarray().tolist() == [
        [0, 1, 0, 1, 2],
        [0, 0, 1, 0, 0],
        [1, 0, 0, 1, 3],
        [0, 0, 1, 0, 0],
    ]
    assert found.content.Y.toarray().tolist() == [[1], [1], [0], [0]]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("mean real", "mean string", "line 4: attribute 'mean' is of type 'string'.* of texts"),
        ("mean real", "mean date", "line 4: attribute 'mean' is of type 'date'"),
        ("mean real", "mean", "line 4: found '@ATTRIBUTE mean'; expected '@attribute NAME TYPE'"),
        ("mean real", "happy real", "line 6: the attribute 'happy' is there twice .*line 4"),
        ("happy {0,1}", "happy {no,yes}", r"label 'happy' has the values {no,yes}; expected {0,1}"),
        ("happy {0,1}", "glad {0,1}", "a.xml: the label 'happy' is no attribute of"),
        ("{0, 1}", "{0, 0}", "line 7: attribute 'flag': expected distinct values"),
        ("@relation", "@relatoin", "line 2: found .@relatoin.*expected @relation"),
        ("@DATA", "", "line 11: found '1,2,0,1,0'; expected @rel"),
        ("1,2,0,1,0", "1,?,0,1,0", r"line 11: the value of 'a, b' is missing \(\?\)"),
        ("1,2,0,1,0", "{1 ?}", "line 11: the value of 'a, b' is missing"),
        ("1,2,0,1,0", "1,2,0,1", "line 11: found 4 values; expected 5"),
        ("1,2,0,1,0", "1,2,0,1,0,{5}", "line 11: the row has a weight"),
        ("1,2,0,1,0", "{0 1}, {5}", "line 11: .*weights are not supported"),
        ("1,2,0,1,0", "{0 1} x", "line 11: .*weights are not supported"),
        ("1,2,0,1,0", "{0 1", "line 11: the row begins with {"),
        ("1,2,0,1,0", "{0 1 2}", "line 11: found '{0 1 2}'"),
        ("1,2,0,1,0", "{0 1,}", "line 11: found '{0 1,}'"),
        ("1,2,0,1,0", "{0 '1' 2}", "line 11: found"),
        ("1,2,0,1,0", "{0 1,0 1}", "line 11: an attribute is in the row twice"),
        ("1,2,0,1,0", "{5 1}", "line 11: attribute 5 is out of range; there are 5"),
        ("1,2,0,1,0", "{-1 1}", "line 11: found the attribute '-1'"),
        ("1,2,0,1,0", "1,2,0.5,1,0", "line 11: the value of 'happy' is 0.5; expected 0 or 1"),
        ("1,2,0,1,0", "1,2,0,2,0", "line 11: the value of 'flag' is 2; expected 0 or 1"),
        ("1,2,0,1,0", "nan,2,0,1,0", "line 11: the value of 'mean' is nan; expected a finite"),
        ("1,2,0,1,0", "1e39,2,0,1,0", r"line 11: the value of 'mean' is 1e\+39; expected a finite"),
        ("1,2,0,1,0", "1_0,2,0,1,0", "line 11: the value of 'mean' is '1_0'; expected a number"),
        ("1,2,0,1,0", "one,2,0,1,0", "line 11: the value of 'mean' is 'one'; expected a number"),
    ],
)
def test_defects_are_told_with_their_line(old, new, message, tmp_path):
    text = HEAD + "1,2,0,1,0\n"
    assert old in text
    with pytest.raises(DataError, match=message):
        mulan(tmp_path, text.replace(old, new))


def test_a_value_outside_its_attribute_is_told(tmp_path):
    with pytest.raises(DataError, match="line 7: 'colour': 'green' is none of its values"):
        mulan(tmp_path, NOMINAL + "green,1,2,1\n", '<labels><label name="l"/></labels>')


def test_nested_labels_are_labels(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text('<labels><label name="a"><label name="b &amp; c"/></label></labels>')
    assert read_label_names(path) == ("a", "b & c")


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        ("", "no XML of labels"),
        ("<labels>", "no XML of labels"),
        ("<labels/>", "expected <labels>"),
        ('<tags><label name="a"/></tags>', "expected <labels>"),
        ("<labels><label/></labels>", "expected <labels>"),
        ('<labels><label name="a"/><label name="a"/></labels>', "the label 'a' is there twice"),
    ],
)
def test_a_damaged_label_file_is_told(xml, message, tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(xml)
    with pytest.raises(DataError, match=message):
        read_label_names(path)


@pytest.mark.parametrize("at", [15, 25, -5])
@pytest.mark.parametrize("which", ["a.arff", "a.xml"])
def test_a_damaged_gzip_stream_is_told(which, at, tmp_path):
    mulan(tmp_path, HEAD + "0,0,0,0,1\n" * 99)
    packed = bytearray(gzip.compress((tmp_path / which).read_bytes()))
    packed[at] ^= 0xFF
    (tmp_path / which).write_bytes(packed)
    with pytest.raises(DataError, match=which):
        read_mulan(tmp_path / "a.arff", tmp_path / "a.xml")
