"""A search on the dataset ``tiny``."""

from __future__ import annotations

import pytest

from xcbench.config.loader import load_document
from xcbench.config.yaml import parse
from xcbench.runner.locks import hold
from xcbench.tasks.xc import open_data
from xcbench.tuning.journal import Journal
from xcbench.tuning.samplers import make_sampler
from xcbench.tuning.search import make_search
from xcbench.tuning.trials import TrialLog, Trials

TEXT = """\
dataset: {name: tiny}
method: {preset: knn, neighbours: 5}
executor: {backend: inline}
tune: {neighbours: [1, 3, 5, 9], power: {low: 0.5, high: 8, log: true}}
"""


def search_of(text=TEXT, label=None, sampler="random", objective="P@1", held_out=0.5):
    config = load_document(parse(text, "f"), "f")
    return make_search(config, label, sampler, objective, held_out)


@pytest.fixture
def tuned(tiny_data, tmp_path):
    """Run a search in a folder, and give its journal."""

    def run(search, count, folder="t", **more):
        data = open_data(search.job.dataset, tiny_data, 1)
        search = search.on(data)
        place = tmp_path / folder
        place.mkdir(exist_ok=True)
        lines = search.lines(data.sizes.n_test)
        sampler = make_sampler(search.sampler, search.space, search.start, search.job.seed)
        with hold(place):
            journal = Journal(place, search.identity(data.sha256), lines)
            Trials(search, data, tiny_data, sampler, journal, TrialLog()).run(count, **more)
        return journal

    return run
