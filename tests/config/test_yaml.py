"""The strict YAML reader: no silent surprise, every defect with its line."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xcbench.config.yaml import dump, parse
from xcbench.errors import ConfigError

KEYS = st.text(max_size=12)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
    | st.sampled_from(["1e-3", "no", "010", "10:30", "~", "null", "true", "5.", "<<", "=", "-", ""])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 0.001),
        ("+.5", 0.5),
        ("1.", 1.0),
        ("5E3", 5000.0),
        ("010", 10),
        ("-7", -7),
        ("9223372036854775807", 2**63 - 1),
        ("no", "no"),
        ("off", "off"),
        ("True", True),
        ("10:30", "10:30"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        (".nan", ".nan"),
        (".inf", ".inf"),
        ("2020-01-01", "2020-01-01"),
        ("~", None),
        ("'1e-3'", "1e-3"),
        ("[1, {a: b}]", [1, {"a": "b"}]),
    ],
)
def test_plain_values_are_what_a_person_means(text, value):
    read = parse(f"x: {text}", "f.yaml").value["x"]
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3", "f.yaml:3: the key 'a' is given twice, first in line 1"),
        ("x:\n  - {c: 1, c: 2}", "f.yaml:2: the key 'c' is given twice, first in line 2"),
        ("a: &x [*x]", "f.yaml:1: an alias refers to the value it stands in"),
        ("1: a", "f.yaml:1: a key is not plain text"),
        ("\n!!python/name:os.system x", "f.yaml:2: 'x' cannot be read as 'python/name:os.system'"),
        ("a: !!set {b}", "f.yaml:1: the tag 'tag:yaml.org,2002:set' is not allowed"),
        ("a: 99999999999999999999", "f.yaml:1: a: found 99999999999999999999; expected a whole"),
        ("9223372036854775808", "f.yaml:1: found 9223372036854775808; expected a whole number of"),
        ("b:\n- " + "9" * 5000, "f.yaml:2: b.0: found 9999"),
        ("a: b: c", "f.yaml:1: mapping values are not allowed here"),
        ("a: 1\n---\nb: 2", "f.yaml:2: expected a single document in the stream"),
        ("a: 1\nb: \x00", "f.yaml:2: found the character U+0000; expected printable text"),
        ("\n" + "[" * 1500, "f.yaml:2: nested more than 50 deep"),
        ("a:\n" + " - " * 60, "f.yaml:2: nested more than 50 deep"),
        ('\na: "\\U00110000"', "f.yaml:2: an escape sequence or a directive holds an impossible"),
        ("%YAML " + "1" * 5000, "f.yaml:1: an escape sequence or a directive holds an impossible"),
        ('\na: "\\ud800"', "f.yaml:2: '\\ud800' holds half of a character"),
        ('"\\ud800": a', "f.yaml:1: '\\ud800' holds half of a character"),
        ("a: !!null 5", "f.yaml:1: '5' cannot be read as 'null'"),
        ('? "' + "k" * 900 + '"\n: 1\n? "' + "k" * 900 + '"\n: 2', "f.yaml:3: the key 'kkk"),
        ('"a\\e[2J\\nb": 99999999999999999999', "f.yaml:1: a\\x1b[2J\\nb: found 9999"),
    ],
)
def test_each_defect_is_reported_with_its_line(text, message):
    with pytest.raises(ConfigError) as caught:
        parse(text, "f.yaml")
    assert message in str(caught.value)


def test_aliases_of_aliases_are_refused_before_they_fill_the_memory():
    levels = [f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 9)}]" for i in range(1, 30)]
    with pytest.raises(ConfigError, match=r"^f\.yaml:\d+: aliases repeat more than 10000 values$"):
        parse("\n".join(["l0: &l0 x", *levels]), "f.yaml")


def test_aliases_do_not_nest_deeper_than_what_is_written_out():
    levels = ["l0: &l0 [x]"] + [f"l{i}: &l{i} [*l{i - 1}]" for i in range(1, 200)]
    with pytest.raises(ConfigError, match=r"^f\.yaml:\d+: nested more than 50 deep$"):
        parse("\n".join(levels), "f.yaml")


def test_messages_are_short_and_on_one_line():
    for text in ('"' + "k" * 900 + '": 1\n' * 1, "a: !<" + "t" * 900 + "> b", "*" + "a" * 900):
        try:
            parse(text + "\n" + text, "f.yaml")
        except ConfigError as error:
            assert len(str(error)) < 300
        else:
            raise AssertionError("accepted")


def test_ordinary_aliases_and_long_files_are_no_bomb():
    assert parse("a: &x {b: [1, 2]}\nc: *x\nd: [*x]", "f.yaml").value == {
        "a": {"b": [1, 2]},
        "c": {"b": [1, 2]},
        "d": [{"b": [1, 2]}],
    }
    assert len(parse("[" + "1," * 10_001 + "]", "f.yaml").value) == 10_001


def test_all_equal_keys_are_reported_at_once():
    with pytest.raises(ConfigError) as caught:
        parse("a: 1\na: 2\nb: 1\nb: 2", "f.yaml")
    assert len(str(caught.value).splitlines()) == 2


def test_every_value_knows_its_line():
    lines = parse("a: 1\nb:\n  - c: 2\n    d: 3\n", "f.yaml").lines
    assert lines[("a",)] == 1
    assert lines[("b", 0, "d")] == 4


@given(VALUES)
@settings(deadline=None, max_examples=150)
def test_what_is_written_reads_back_equal(value):
    assert parse(dump({"x": value}), "f.yaml").value == {"x": value}


@given(st.text(alphabet="ab:{}[]-&*!|> '\"\n\t#,?1.e", max_size=40))
@settings(deadline=None, max_examples=300)
def test_any_text_is_read_or_refused_in_words(text):
    try:
        parse(text, "f.yaml")
    except ConfigError as error:
        assert str(error).startswith("f.yaml:")
