"""Where tasks run: keys of one backend are not taken silently by another."""

import pytest

from xcbench.config.executor import ExecutorConfig
from xcbench.config.loader import load_config
from xcbench.config.yaml import dump
from xcbench.errors import ConfigError

BASE = "dataset: {name: a}\nmethod: rxml\nexecutor: "


@pytest.mark.parametrize(
    ("executor", "message"),
    [
        ("{scheduler: h:1}", "executor: scheduler is a key of backend dask, and this is loky"),
        ("{backend: inline, partition: p}", "partition is a key of backend slurm, and this is inl"),
        ("{backend: dask, scheduler: h:1, time: 6h}", "time is a key of backend slurm, and this"),
        ("{backend: slurm, jobs: 1, scheduler: h:1}", "scheduler is a key of backend dask"),
        ("{backend: dask, scheduler: h:65536}", "executor.scheduler: found 'h:65536'; expected an"),
        ("{backend: dask, scheduler: h:0}", "found 'h:0'; expected an address such as"),
        ("{backend: dask}", "backend dask needs scheduler"),
        ("{backend: slurm}", "backend slurm needs jobs"),
    ],
)
def test_what_no_backend_or_another_one_takes_is_refused(tmp_path, executor, message):
    path = tmp_path / "c.yaml"
    path.write_text(BASE + executor)
    with pytest.raises(ConfigError, match=message):
        load_config(path)


@pytest.mark.parametrize(
    "executor",
    [
        "{backend: dask, scheduler: 'tcp://h:65535', max_memory: 8G}",
        "{backend: slurm, jobs: 4, partition: p, time: 6h, account: a, memory: 4G}",
        "{backend: loky, jobs: 2}",
    ],
)
def test_what_a_backend_takes_reads_back_equal(tmp_path, executor):
    path = tmp_path / "c.yaml"
    path.write_text(BASE + executor)
    config = load_config(path)
    path.write_text(dump(config.mapping()))
    assert load_config(path) == config


def test_every_key_of_a_backend_is_one_of_the_settings():
    from xcbench.config.executor import _KEYS_OF

    assert set(_KEYS_OF) < set(ExecutorConfig.model_fields)
