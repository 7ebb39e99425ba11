"""The ``tune:`` block of a config."""

from __future__ import annotations

import pytest

from xcbench.config.loader import load_document
from xcbench.config.tuning import Choices, Range
from xcbench.config.yaml import dump, parse
from xcbench.errors import ConfigError

HEAD = "dataset: {name: x}\nmethods: [rxml, knn]\n"


def load(text, *overrides):
    return load_document(parse(HEAD + text, "f"), "f", overrides)


def test_a_block_is_choices_and_ranges_by_dotted_key():
    config = load("tune: {rank: [5, 10], vote.power: {low: 1, high: 8.0, log: true}}")
    assert config.tune == {
        "rank": Choices((5, 10)),
        "vote.power": Range(low=1, high=8.0, log=True),
    }


def test_jobs_know_nothing_of_it():
    assert load("tune: {rank: [5, 10]}").jobs() == load("").jobs()


def test_it_reads_back_equal():
    config = load("tune: {vote.kind: [cosine, euclidean], power: {low: 1, high: 8}}")
    assert load_document(parse(dump(config.mapping()), "g"), "g") == config


def test_it_can_be_set():
    config = load("tune: {rank: [5, 10]}", "tune.neighbours.count={low: 5, high: 9}")
    assert config.tune == {"rank": Choices((5, 10)), "neighbours.count": Range(low=5, high=9)}


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ("[1]", "f:3: tune: found a list; expected a mapping"),
        ("{rnak: [1]}", "f:3: tune.rnak: unknown key 'rnak'; did you mean 'rank'?"),
        ("{rank: 5}", "f:3: tune.rank: found 5; expected a list of values, or {low"),
        ("{rank: []}", "f:3: tune.rank: found an empty list; expected"),
        ("{rank: [5, 5]}", "f:3: tune.rank: the value 5 is given twice"),
        ("{rank: [0, 5]}", "f:3: tune.rank: found 0; expected at least 1"),
        ("{rank: [5, x]}", "f:3: tune.rank: found 'x'; expected a whole number"),
        ("{rank: {low: 5}}", "f:3: tune.rank.high: is missing"),
        ("{rank: {low: 5, hihg: 9}}", "unknown key 'hihg'; did you mean 'high'?"),
        ("{rank: {low: 5, high: 5}}", "f:3: tune.rank: low is 5 and high 5; expected low below"),
        ("{rank: {low: 0.5, high: 9.5}}", "f:3: tune.rank: found 0.5; expected a whole number"),
        ("{vote.power: {low: 0, high: 9, log: true}}", "expected more than 0 where log is true"),
        ("{vote.kind: [cosin]}", "expected one of cosine, euclidean, itml; did you mean 'cosine'?"),
    ],
)
def test_what_is_wrong_with_it_is_said_with_its_line(block, said):
    with pytest.raises(ConfigError) as caught:
        load(f"tune: {block}")
    assert said in str(caught.value)
