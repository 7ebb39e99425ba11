"""``xcbench validate`` and ``xcbench config show``: what a config is, without running it."""

from xcbench.config.loader import load_config


def test_good_configs_are_counted_and_need_no_data(xcbench, config):
    done = xcbench("validate", config("methods: [rxml, sleec]\nsplits: [1, 2]"))
    assert (done.exit_code, done.stdout.split(": ")[1]) == (0, "ok, 4 jobs\n")


def test_the_defects_of_every_config_are_reported(xcbench, config):
    done = xcbench(
        "validate", config("method: rxlm", "a.yaml"), config("method: rxml", "b.yaml"),
        config("method: rxml\nsede: 1", "c.yaml"),
    )  # fmt: skip
    assert done.exit_code == 2
    assert "a.yaml:3: method.preset: found 'rxlm'" in done.stderr
    assert "c.yaml:4: sede: unknown key 'sede'; did you mean 'seed'?" in done.stderr
    assert "b.yaml" not in done.stderr


def test_values_are_checked_against_the_published_sizes(xcbench, tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text(
        "dataset: {name: bibtex}\nsplits: [99]\nmetrics: {k: [160]}\n"
        "methods: [{preset: rxml, rank: 4881}, {preset: global, rank: 160}]"
    )
    done = xcbench("validate", path)
    assert done.exit_code == 2
    assert "bibtex, rxml: rank: found 4881; the dataset has 4880 training points" in done.stderr
    assert "bibtex, global: rank: found 160; the dataset has 159 labels" in done.stderr
    assert "bibtex: metrics.k: found 160; the dataset has 159 labels" in done.stderr
    assert "bibtex: splits: found 99" in done.stderr


def test_a_presets_own_values_are_no_mistake_on_small_data(xcbench, tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text("dataset: {name: mediamill}\nmethods: [global, rxml]")
    assert xcbench("validate", path).exit_code == 0


def test_what_config_show_prints_gives_the_same_jobs(xcbench, config, tmp_path):
    path = config("methods: [global, {preset: sleec, rank: 7}]\nsweep: {rank: [3, 4]}")
    shown = xcbench("config", "show", path, "--set", "seed=5")
    assert shown.exit_code == 0
    again = tmp_path / "shown.yaml"
    again.write_text(shown.stdout)
    assert load_config(again) == load_config(path, ["seed=5"])
    assert xcbench("config", "show", again).stdout == shown.stdout


def test_config_show_of_a_wrong_config_is_a_message(xcbench, config):
    done = xcbench("config", "show", config("method: {preset: rxml, learners: none}"))
    assert done.exit_code == 2
    assert "method.learners: found 'none'; expected a whole number" in done.stderr
