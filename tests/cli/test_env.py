"""``xcbench env``: what results are recorded with."""

import json

import numpy as np


def test_env_prints_what_a_result_row_holds(xcbench):
    done = xcbench("env", "--json")
    facts = json.loads(done.stdout)
    assert facts["numpy"] == np.__version__
    assert facts["cores"] >= 1
    assert facts["ram_bytes"] > 10**8
    assert facts["cpu"]


def test_env_for_people_has_the_same_facts(xcbench):
    names = {line.split()[0] for line in xcbench("env").stdout.splitlines()}
    assert names == set(json.loads(xcbench("env", "--json").stdout))
