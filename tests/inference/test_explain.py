"""What is said of a row agrees with what is predicted for it, and with the data."""

import numpy as np
import pytest

from tests.inference.conftest import METHODS
from tests.inference.posts import TAGS
from xcbench.data.matrix import slice_rows
from xcbench.errors import ConfigError
from xcbench.inference.explain import explain
from xcbench.tasks.xc import open_data


@pytest.fixture
def data(posts, job_of):
    return open_data(job_of("blend").dataset, posts, 1).prepared


@pytest.mark.parametrize("method", METHODS)
def test_the_parts_add_up_to_what_predict_gives(model_of, data, method):
    fitted = model_of(method)
    for row in range(5):
        x = slice_rows(data.test.X, row, row + 1)
        top = fitted.model.predict(x, 4)
        found = explain(fitted, x, 4, 3)
        assert [each.label.id for each in found.labels] == [i for i in top.labels[0] if i >= 0]
        for each, score in zip(found.labels, top.scores[0], strict=False):
            assert each.score == score
            parts = each.votes + each.features + each.constant
            assert parts == pytest.approx(score, rel=2e-4, abs=2e-5)
            assert each.label.name == TAGS[each.label.id]


@pytest.mark.parametrize("method", ["blend", "neighbours"])
def test_neighbours_are_training_points_with_the_label(model_of, data, posts, method):
    fitted = model_of(method)
    texts = (posts / "posts" / "trn_X.txt").read_text().splitlines()
    words = (posts / "posts" / "Xf.txt").read_text().splitlines()
    x = slice_rows(data.test.X, 4, 5)
    found = explain(fitted, x, 3, 2, data.train, [0])
    assert found.labels[0].neighbours
    for each in found.labels:
        assert each.true == (each.label.id == 0)
        assert len(each.neighbours) == min(2, each.voters)
        for neighbour in each.neighbours:
            of_train = np.flatnonzero(data.train.Y.toarray()[neighbour.row]).tolist()
            assert [label.id for label in neighbour.labels] == of_train
            assert each.label in neighbour.labels
            assert texts[neighbour.row] == neighbour.text
            own = set(texts[neighbour.row].split())
            for feature in neighbour.shared:
                assert feature.name == words[feature.id]
                assert feature.name in own
                assert feature.id in x.indices


def test_without_the_data_shared_features_are_left_out(model_of, data):
    found = explain(model_of("blend"), slice_rows(data.test.X, 0, 1), 2, 2)
    assert found.true is None
    assert all(n.shared is None for each in found.labels for n in each.neighbours)


def test_a_model_of_another_library_is_refused(model_of, data, monkeypatch):
    monkeypatch.setattr("xcbench.inference.explain.is_explainable", lambda model: False)
    with pytest.raises(ConfigError, match="does not tell"):
        explain(model_of("blend"), slice_rows(data.test.X, 0, 1), 2, 2)
