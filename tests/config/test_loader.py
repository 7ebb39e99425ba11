"""Loading a config: everything wrong is said at once, everything right survives a round trip."""

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xcbench.config.loader import load_config, load_document
from xcbench.config.presets import PRESETS
from xcbench.config.yaml import Document, dump, parse
from xcbench.errors import ConfigError


def load(text, *overrides):
    return load_document(parse(text, "f.yaml"), "f.yaml", overrides)


def errors(text, *overrides):
    with pytest.raises(ConfigError) as caught:
        load(text, *overrides)
    return str(caught.value).splitlines()


BASE = "dataset: {name: bibtex}\n"


def test_a_preset_by_name_is_the_preset_with_its_defaults():
    (method,) = load(BASE + "method: sleec").methods
    assert (method.label, method.preset) == ("sleec", "sleec")
    assert method.settings.completion.kind == "svp"
    assert method.settings.vote.kind == "euclidean"
    assert method.settings.rank == 100


def test_overrides_merge_into_the_preset_key_by_key():
    (method,) = load(BASE + "method: {preset: sleec, completion: {start: random}}").methods
    assert method.settings.completion.kind == "svp"
    assert method.settings.completion.start == "random"


def test_a_stage_given_as_a_word_changes_only_its_kind():
    (method,) = load(BASE + "method: {preset: sleec, completion: released}").methods
    assert method.settings.completion.kind == "released"
    assert method.settings.completion.iterations == PRESETS["sleec"]["completion"]["iterations"]


def test_a_model_without_a_preset_is_labelled_by_its_model():
    (method,) = load(BASE + "method: {model: global, rank: 5}").methods
    assert (method.label, method.preset, method.settings.rank) == ("global", None, 5)


def test_every_defect_is_reported_in_one_go_with_line_path_and_suggestion():
    found = errors(
        "dataset: {name: bibtex, feature: unit}\n"
        "methods:\n"
        "  - globl\n"
        "  - {preset: rxml, rnak: 1, lable: x, partition: kmean, clusters: aut}\n"
        "  - {preset: sleec, learners: 0, vote: {neighbours: 1.5}}\n"
        "  - 3\n"
        "  - {perset: rxml}\n"
        "rank: 50\n"
        "splts: [3]\n"
        "executor: {backend: spark, jobs: 0}\n"
        "metrics: {k: [1, 1]}\n"
        "sweep: {learnes: [1]}\n"
    )
    assert found == [
        "f.yaml:1: dataset.feature: unknown key 'feature'; did you mean 'features'?",
        f"f.yaml:3: methods.0.preset: found 'globl'; expected one of {', '.join(PRESETS)}; "
        "did you mean 'global'?",
        "f.yaml:4: methods.1.clusters: found 'aut'; expected a whole number or auto; "
        "did you mean 'auto'?",
        "f.yaml:4: methods.1.partition.kind: found 'kmean'; expected one of kmeans, spherical, "
        "balanced; did you mean 'kmeans'?",
        "f.yaml:4: methods.1.rnak: unknown key 'rnak'; did you mean 'rank'?",
        "f.yaml:4: methods.1.lable: unknown key 'lable'; did you mean 'label'?",
        "f.yaml:5: methods.2.learners: found 0; expected at least 1",
        "f.yaml:5: methods.2.vote.neighbours: found 1.5; expected a whole number",
        "f.yaml:6: methods.3: found 3; expected the name of a preset or a mapping",
        "f.yaml:7: methods.4.perset: unknown key 'perset'; did you mean 'preset'?",
        "f.yaml:8: rank: unknown key 'rank' at the top; it belongs to method",
        "f.yaml:9: splts: unknown key 'splts'; did you mean 'splits'?",
        "f.yaml:10: executor.backend: found 'spark'; expected one of loky, inline, dask, slurm",
        "f.yaml:10: executor.jobs: found 0; expected -1 (one process a core) or at least 1",
        "f.yaml:11: metrics.k: the value 1 is given twice",
        "f.yaml:12: sweep.learnes: unknown key 'learnes'; did you mean 'learners'?",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f.yaml: holds nothing; expected a mapping"),
        ("[a]", "f.yaml: holds a list; expected a mapping"),
        ("method: rxml", "f.yaml: dataset: is missing"),
        (BASE, "f.yaml: methods: is missing"),
        (BASE + "methods: []", "methods: found an empty list; expected a list of"),
        (BASE + "method: rxml\nmethods: [rxml]", "give either method or methods, not both"),
        (BASE + "methods: [rxml, rxml]", "the label 'rxml' is taken"),
        (BASE + "method: {preset: rxml, model: global}", "preset 'rxml' is a local_embedding"),
        (BASE + "method: {preset: rxml, label: a/b}", "method.label: found 'a/b'"),
        (BASE + "method: {preset: [rxml]}", "method.preset: found a list; expected one of"),
        (BASE + "method: {model: 3}", "method.model: found 3; expected one of local_embedding"),
        (BASE + "method: {preset: rxml, rank: yes}", "rank: found 'yes'; expected a whole number"),
        (BASE + "method: {preset: rxml, regression: {ridge: .nan}}", "expected a finite number"),
        (BASE + "method: {preset: rxml, vote: {power: .inf}}", "found '.inf'; expected a finite"),
        (BASE + "method: {preset: rxml, vote: {power: 1e999}}", "found inf; expected a finite"),
        (BASE + "method: {preset: rxml, vote: [a]}", "vote: found a list; expected a mapping"),
        (
            BASE + "method: {preset: sleec, completion: {iterations: 0}}",
            "completion: kind svp needs iterations of at least 1",
        ),
        ("dataset: bibtex\nmethod: rxml", "expected a mapping; did you mean {name: bibtex}?"),
        ("dataset: a/b\nmethod: rxml", "dataset: found 'a/b'; expected a mapping"),
        ("dataset: {}\nmethod: rxml", "dataset: give either name, or both train and test"),
        ("dataset: {train: a}\nmethod: rxml", "give either name, or both train and test"),
        ("dataset: {name: a, train: b, test: c}\nmethod: rxml", "give either name, or both"),
        ("dataset: {train: a, test: b, format: libsvm}\nmethod: rxml", "base (0 or 1) goes with"),
        ("dataset: {name: a, propensity: {a: 1}}\nmethod: rxml", "propensity.b: is missing"),
        (BASE + "method: rxml\nsplits: []", "splits: give at least one value"),
        (BASE + "method: rxml\nsplits: [0]", "splits.0: found 0; expected at least 1"),
        (BASE + "method: rxml\nseed: -1", "seed: found -1; expected at least 0"),
        (BASE + "method: rxml\nseeds: 3", "f.yaml:3: seeds: found 3; expected a list"),
        (BASE + "method: rxml\nseeds: [0, -1]", "f.yaml:3: seeds.1: found -1; expected at least"),
        (BASE + "method: rxml\nseeds: [1, 1]", "seeds: the value 1 is given twice"),
        (BASE + "method: rxml\nseed: 1\nseeds: [2]", "f.yaml:4: seeds: give either seed or see"),
        (BASE + "method: rxml\nseed: " + "9" * 26, "f.yaml:3: seed: found 99999999999999999999"),
        (BASE + "method: rxml\nsweep: [rank]", "sweep: found a list; expected a mapping"),
        (BASE + "method: rxml\nsweep: {rank: 5}", "sweep.rank: found 5; expected a list"),
        (BASE + "method: rxml\nsweep: {rank: []}", "sweep.rank: found an empty list; expected"),
        (BASE + "method: rxml\nsweep: {rank: [0, x]}", "sweep.rank: found 0; expected at least 1"),
        (BASE + "method: rxml\nsweep: {rank: [5, 5]}", "sweep.rank: the value 5 is given twice"),
    ],
)
def test_impossible_configs_are_refused_in_words(text, message):
    assert any(message in line for line in errors(text))


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (
            "methods: [{preset: rxml, label: a/b}, {preset: sleec, label: /}]",
            ["methods.0.label: found 'a/b'", "methods.1.label: found '/'"],
        ),
        ("methods: [rxml, sleec]\nsweep: {rank: [5, 5, 5]}", ["sweep.rank: the value 5"]),
    ],
)
def test_one_defect_is_one_message(text, messages):
    found = errors(BASE + text)
    assert len(found) == len(messages)
    assert all(message in line for message, line in zip(messages, found, strict=True))


def test_the_largest_seed_is_that_of_a_signed_64_bit_number():
    assert load(BASE + "method: rxml", f"seed={2**63 - 1}").body.seed == 2**63 - 1
    with pytest.raises(ConfigError, match=r"seed: found .*; expected at most 922337"):
        load_document(Document({"dataset": {"name": "x"}, "method": "rxml", "seed": 2**63}), "f")


@pytest.mark.parametrize("name", [".", "..", "../../etc", "/abs", "a/../b"])
def test_the_name_of_a_dataset_stays_in_the_data_folder(name):
    (line,) = errors(f"dataset: {{name: {name}}}\nmethod: rxml")
    assert line.startswith("f.yaml:1: dataset: found the name")
    assert load("dataset: {name: yahoo/arts}\nmethod: rxml").body.dataset.title == "yahoo-arts"


def test_a_sweep_is_a_grid_over_dotted_keys_times_splits():
    config = load(
        BASE + "methods: [sleec, rxml]\nsplits: [1, 2]\n"
        "sweep: {rank: [5, 7], neighbours.count: [50, 100]}"
    )
    assert [m.label for m in config.methods if m.preset == "rxml"] == [
        "rxml-rank5-neighbours.count50",
        "rxml-rank5-neighbours.count100",
        "rxml-rank7-neighbours.count50",
        "rxml-rank7-neighbours.count100",
    ]
    assert len(config.jobs()) == 16
    last = config.jobs()[-1]
    assert (last.split, last.method.settings.rank, last.method.settings.neighbours.count) == (
        2,
        7,
        100,
    )


def test_seeds_repeat_every_job_split_by_split_and_seed_by_seed():
    config = load(BASE + "methods: [global, rxml]\nsplits: [2, 3]\nseeds: [7, 5]")
    jobs = [(job.split, job.seed, job.method.label) for job in config.jobs()]
    assert jobs == [
        (split, seed, label) for split in (2, 3) for seed in (7, 5) for label in ("global", "rxml")
    ]
    alone = load(BASE + "method: rxml\nsplits: [3]\nseed: 5").jobs()
    assert config.jobs()[-1] == alone[0]


def test_a_method_without_a_swept_key_keeps_out_of_that_axis():
    config = load(BASE + "methods: [global, rxml]\nsweep: {rank: [5, 7], learners: [1, 3]}")
    assert [m.label for m in config.methods if m.preset == "global"] == [
        "global-rank5",
        "global-rank7",
    ]


def test_a_sweep_may_go_over_the_kinds_of_a_stage():
    config = load(
        BASE + "method: sleec\nsweep: {completion: [svp, none], completion.start: [random]}"
    )
    assert [m.settings.completion.kind for m in config.methods] == ["svp", "none"]
    assert {m.settings.completion.start for m in config.methods} == {"random"}


class TestOverrides:
    def test_values_are_read_as_yaml(self):
        config = load(BASE + "method: rxml", "seed=3", "dataset.features=tfidf", "splits=[2, 3]")
        assert (config.body.seed, config.body.splits) == (3, (2, 3))
        assert config.body.dataset.features == "tfidf"

    def test_a_method_key_reaches_every_method(self):
        config = load(BASE + "methods: [global, {preset: rxml}]", "method.rank=50")
        assert [m.settings.rank for m in config.methods] == [50, 50]

    def test_a_method_without_the_key_is_passed_over(self):
        config = load(
            BASE + "methods: [global, {model: global, label: g}, {preset: rxml, vote: euclidean}]",
            "method.vote.neighbours=3",
        )
        assert [getattr(m.settings, "vote", None) is None for m in config.methods] == [1, 1, 0]
        assert config.methods[2].settings.vote.neighbours == 3

    def test_a_key_that_no_method_has_is_an_error_of_each(self):
        found = errors(BASE + "methods: [global, rxml]", "method.vote.neighbors=3")
        assert any("methods.0.vote: unknown key 'vote'" in line for line in found)
        assert any("did you mean 'neighbours'?" in line for line in found)

    def test_one_method_is_reached_by_its_position(self):
        config = load(BASE + "methods: [sleec, rxml]", "methods.1.rank=50")
        assert [m.settings.rank for m in config.methods] == [100, 50]
        config = load(BASE + "methods: [sleec, rxml]", "methods.0.vote.neighbours=3")
        assert [m.settings.vote.neighbours for m in config.methods] == [3, 30]

    def test_shorthand_is_opened(self):
        (method,) = load(
            BASE + "method: {preset: rxml, partition: balanced}", "method.partition.iterations=3"
        ).methods
        assert (method.settings.partition.kind, method.settings.partition.iterations) == (
            "balanced",
            3,
        )

    def test_the_whole_list_of_methods_can_be_replaced(self):
        assert [m.label for m in load(BASE + "methods: [sleec]", "method=rxml").methods] == ["rxml"]

    def test_the_sweep_can_be_changed(self):
        config = load(BASE + "method: rxml", "sweep.rank=[5]", "sweep.neighbours.count=[7, 8]")
        assert len(config.methods) == 2

    @pytest.mark.parametrize(
        ("override", "message"),
        [
            ("seed", "--set seed: expected key=value"),
            ("a..b=1", "--set a..b=1: expected key=value"),
            ("seed=x", "--set seed=x: seed: found 'x'; expected a whole number"),
            ("sead=1", "--set sead=1: sead: unknown key 'sead'; did you mean 'seed'?"),
            ("method.rnak=1", "methods.0.rnak: unknown key 'rnak'; did you mean 'rank'?"),
            ("dataset.name.x=1", "dataset.name is no mapping, it has no 'x'"),
            ("methods.7.rank=1", "'7' is no position in a list of 1"),
            ("methods." + "9" * 5000 + ".rank=1", "is no position in a list of 1"),
            ("method" + ".x" * 60 + "=1", "expected key=value"),
            ("method.learners=5", "use --set sweep.learners=[...]"),
            ("seed=[", "--set seed=[:1: "),
        ],
    )
    def test_mistakes_name_the_override(self, override, message):
        text = BASE + "methods: [rxml]\nsweep: {learners: [1]}"
        assert any(message in line for line in errors(text, override))


@pytest.mark.parametrize("content", [None, b"seed: 1\n\xff\xfe\x00", "directory", b"#" * 300_000])
def test_a_file_that_cannot_be_read_is_a_config_error(tmp_path, content):
    path = tmp_path / "c.yaml"
    if content == "directory":
        path.mkdir()
    elif content is not None:
        path.write_bytes(content)
    reasons = (
        r": (no such config file|cannot be read \(Is a directory\)|is larger than 262144 bytes)"
        "|:2: found the byte 0xff; expected UTF-8 text"
    )
    with pytest.raises(ConfigError, match=rf"c\.yaml({reasons})"):
        load_config(path)


def test_a_grid_too_large_to_run_is_refused_before_it_is_made():
    axis = str(list(range(1, 300)))
    grid = f"sweep: {{rank: {axis}, learners: {axis}, clusters: {axis}}}"
    expected = "expected a config of at most 10000 jobs"
    assert errors(BASE + "method: rxml\n" + grid) == [
        f"f.yaml:3: sweep: gives {299**3} methods; {expected}"
    ]
    many = list(range(1, 10_002))
    for extra, message in (
        ({"sweep": {"rank": many}}, "sweep.rank: gives 10001 values; "),
        ({"splits": many}, "splits: 10001 splits of 1 methods; "),
        ({"seeds": many}, "seeds: 1 splits of 1 methods from 10001 seeds; "),
    ):
        raw = {"dataset": {"name": "x"}, "method": "rxml"} | extra
        with pytest.raises(ConfigError) as caught:
            load_document(Document(raw), "f.yaml")
        assert str(caught.value) == f"f.yaml: {message}{expected}"


@pytest.mark.parametrize("where", ["{name: %s}", "{train: %s, test: b}", "{train: a, test: %s}"])
@pytest.mark.parametrize("text", ['"a\\0b"', '"a\\nb"', '"\\e[2J"', '"\\u2028"'])
def test_names_and_paths_hold_no_control_characters(where, text):
    [found] = errors(f"dataset: {where % text}\nmethod: rxml")
    assert found.startswith("f.yaml:1: dataset.")
    assert found.endswith("; expected text without control characters")
    assert found.isprintable()


def test_of_very_many_defects_the_first_hundred_are_said():
    lines = errors(BASE + "method: rxml\n" + "".join(f"key{i}: 1\n" for i in range(130)))
    assert len(lines) == 101
    assert lines[0].startswith("f.yaml:3: key0: unknown key")
    assert lines[-1] == "f.yaml: and 30 defects more"
    with pytest.raises(ConfigError, match=r"f\.yaml: and 30 defects more$"):
        parse("a: 1\n" * 131, "f.yaml")


def test_a_title_is_no_longer_than_a_file_name_may_be():
    config = load(f"dataset: {{name: {'x' * 400}}}\nmethod: rxml")
    assert len(config.body.dataset.title) <= 100


def test_a_key_is_shown_short_and_without_what_moves_the_cursor():
    [found] = errors(BASE + 'method: {preset: rxml, "\\e[2J\\n": 1}')
    assert found.startswith("f.yaml:2: method.\\x1b[2J\\n: unknown key '\\x1b[2J\\n'; known here")
    [found] = errors(BASE + f"method: {{preset: rxml, {'k' * 900}: 1}}")
    assert len(found) < 500


COUNTS = st.integers(1, 500)
METHODS = st.one_of(
    st.sampled_from(sorted(PRESETS)),
    st.fixed_dictionaries(
        {"preset": st.sampled_from(["rxml", "rxml-paper", "sleec"])},
        optional={
            "rank": COUNTS,
            "clusters": COUNTS | st.just("auto"),
            "partition": st.sampled_from(["kmeans", "balanced"]),
            "regression": st.fixed_dictionaries(
                {"ridge": st.floats(1e-9, 1e9)}, optional={"kind": st.just("admm_l1")}
            ),
            "vote": st.fixed_dictionaries({"power": st.integers(0, 9)}),
        },
    ),
    st.fixed_dictionaries({"model": st.just("global")}, optional={"ridge": st.floats(0, 10)}),
)
CONFIGS_WITHOUT_SEED = st.fixed_dictionaries(
    {"methods": st.lists(METHODS, min_size=1, max_size=3)},
    optional={
        "splits": st.lists(COUNTS, min_size=1, max_size=3, unique=True),
        "metrics": st.fixed_dictionaries(
            {"k": st.lists(COUNTS, min_size=1, max_size=4, unique=True)},
            optional={"psndcg": st.just("matlab")},
        ),
        "executor": st.fixed_dictionaries({"jobs": COUNTS | st.just(-1)}),
        "sweep": st.fixed_dictionaries(
            {"rank": st.lists(COUNTS, min_size=1, max_size=2, unique=True)}
        ),
    },
)


SEEDS = st.fixed_dictionaries({}, optional={"seed": st.integers(0, 2**31)}) | st.builds(
    lambda seeds: {"seeds": seeds},
    st.lists(st.integers(0, 2**31), min_size=1, max_size=3, unique=True),
)
RANKED = {
    name for name, preset in PRESETS.items() if preset["model"] in ("local_embedding", "global")
}


def whose_sweep_has_a_method(raw):
    """A sweep over the rank is a mistake where no method has one."""
    ranked = any(not isinstance(method, str) or method in RANKED for method in raw["methods"])
    return raw if ranked else {key: value for key, value in raw.items() if key != "sweep"}


CONFIGS = st.builds(lambda raw, seeds: raw | seeds, CONFIGS_WITHOUT_SEED, SEEDS).map(
    whose_sweep_has_a_method
)


def labelled(raw, dataset):
    """The drawn config with labels of its own, so that no two methods share one."""
    methods = [{"preset": m} if isinstance(m, str) else dict(m) for m in raw["methods"]]
    for i, method in enumerate(methods):
        method["label"] = f"m{i}"
    return raw | {"methods": methods, "dataset": dataset}


DATASETS = st.one_of(
    st.builds(
        lambda name: {"name": name},
        st.text(
            st.characters(exclude_characters="/.", exclude_categories=["Cc", "Cs", "Zl", "Zp"]),
            min_size=1,
            max_size=8,
        ),
    ),
    st.just({"train": "a/train.svm", "test": "a/test.svm", "format": "libsvm", "base": 1}),
    st.just({"name": "x", "features": "raw", "propensity": {"a": 0.5, "b": 0}}),
)


@given(CONFIGS, DATASETS)
@settings(deadline=None, max_examples=60)
def test_a_resolved_config_reads_back_equal(raw, dataset):
    config = load_document(Document(labelled(raw, dataset)), "f.yaml")
    assert load(dump(config.mapping())) == config
    job = config.jobs()[-1]
    assert load(dump(job.mapping())).jobs() == [job]


def keys_of(value, path=()):
    """Every path of a mapping that ends in a key."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*path, key)
            yield from keys_of(inner, (*path, key))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from keys_of(inner, (*path, i))


@given(st.data(), CONFIGS)
@settings(deadline=None, max_examples=80)
def test_a_mistyped_key_is_always_reported_by_its_path(data, raw):
    mapping = load_document(Document(labelled(raw, {"name": "x"})), "f.yaml").mapping()
    path = data.draw(st.sampled_from(list(keys_of(mapping))))
    wrong = path[-1] + "x"
    broken = copy.deepcopy(mapping)
    at = broken
    for part in path[:-1]:
        at = at[part]
    at[wrong] = at.pop(path[-1])
    with pytest.raises(ConfigError) as caught:
        load_document(Document(broken), "f.yaml")
    assert f"{'.'.join(map(str, (*path[:-1], wrong)))}: unknown key {wrong!r}" in str(caught.value)


WORDS = st.sampled_from(
    ["dataset", "name", "method", "methods", "preset", "rxml", "rank", "sweep", "seed", "vote",
     "neighbours", "count", "kind", "splits", "metrics", "k", "label", "model", "executor"]
)  # fmt: skip
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=15,
)


@given(st.dictionaries(WORDS, ANYTHING, max_size=6), st.lists(st.tuples(WORDS, WORDS), max_size=2))
@settings(deadline=None, max_examples=150)
def test_any_mapping_is_a_config_or_a_config_error(raw, sets):
    overrides = [f"{a}.{b}=1" for a, b in sets]
    try:
        load_document(Document(raw), "f.yaml", overrides)
    except ConfigError as error:
        assert str(error)
