"""Names below the data folder: which are taken, and what is said of others."""

from typing import Annotated

import pytest
from pydantic import TypeAdapter, ValidationError

from xcbench.config.loader import load_document
from xcbench.config.names import data_name
from xcbench.config.yaml import parse
from xcbench.errors import ConfigError

FOLDER = TypeAdapter(Annotated[str, data_name("a folder", longest=6)])
NESTED = TypeAdapter(Annotated[str, data_name("a file", longest=6, nested=True)])


@pytest.mark.parametrize("name", ["a", "_a.b+c", "us-1=2"])
def test_plain_names_are_taken(name):
    assert FOLDER.validate_python(name) == NESTED.validate_python(name) == name


@pytest.mark.parametrize("name", ["", ".", "..", ".a", "../x", "/x", "x/", "a b", "é", "a" * 7])
def test_names_that_hide_or_lead_elsewhere_are_refused(name):
    for kind in (FOLDER, NESTED):
        with pytest.raises(ValidationError):
            kind.validate_python(name)


def test_a_path_is_a_name_where_there_are_folders():
    assert NESTED.validate_python("uci/w") == "uci/w"
    for refused in ("a//b", "a/../b", "a/.b"):
        with pytest.raises(ValidationError):
            NESTED.validate_python(refused)
    with pytest.raises(ValidationError):
        FOLDER.validate_python("uci/w")


@pytest.mark.parametrize(
    "text",
    [
        "task: metric_learning\ndataset: {name: ../x}\nmethod: itml",
        "task: robust_embedding\ndataset: {name: ../x, rows: 9}\nmethod: embedding-madmm",
    ],
)
def test_every_task_says_in_words_what_a_name_is(text):
    with pytest.raises(ConfigError) as caught:
        load_document(parse(text, "f.yaml"), "f.yaml")
    message = str(caught.value)
    assert message.startswith("f.yaml:2: ")
    assert "found the name '../x'; expected that of a" in message
    assert "letters, digits and . _ + = -" in message
