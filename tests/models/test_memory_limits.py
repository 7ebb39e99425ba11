"""What may run at once within a budget of memory."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from xcbench.models.memory import MemoryEstimate, Stage, too_large, within
from xcbench.models.memory.stages import BY_FILE, MARGIN, POOL, PROCESS, PROCESS_OWN

GB = 10**9


def an_estimate(*stages, jobs):
    return MemoryEstimate(stages, jobs, "a smaller rank")


def needed(stage, jobs, most):
    return stage.total(jobs, most) - stage.repeated(jobs, most)


sizes = st.integers(0, 3 * GB)
stages = st.lists(
    st.builds(
        Stage,
        name=st.sampled_from("abcd"),
        advice=st.just(""),
        tasks=st.integers(0, 12),
        task=sizes,
        mapped=sizes,
        result=sizes,
        held=sizes,
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda stage: stage.name,
)


@given(stages=stages, jobs=st.integers(1, 9), budget=st.integers(PROCESS // 2, 30 * GB))
def test_the_limits_keep_to_the_budget_with_its_margin_and_no_more_would(stages, jobs, budget):
    estimated = an_estimate(*stages, jobs=jobs)
    limits = within(estimated, budget)
    budget = int(budget / MARGIN)
    if limits is None:
        assert estimated.with_jobs(1).needed > budget
        return
    assert 1 <= limits.jobs <= jobs
    for stage in stages:
        most = limits.at_once[stage.name]
        assert 1 <= most <= limits.jobs
        assert needed(stage, limits.jobs, most) <= budget
        if most < stage.at_once(limits.jobs):
            assert needed(stage, limits.jobs, most + 1) > budget
    assert estimated.limited(limits).needed <= budget


def test_all_at_once_where_there_is_room():
    clusters, predict = Stage("clusters", "", tasks=40, task=GB), Stage("predict", "", tasks=3)
    limits = within(an_estimate(clusters, predict, jobs=8), 100 * GB)
    assert (limits.jobs, limits.at_once) == (8, {"clusters": 8, "predict": 3})


def test_processes_that_only_a_small_stage_uses_do_not_hold_back_a_large_one():
    clusters, predict = Stage("clusters", "", tasks=40, task=GB), Stage("predict", "", tasks=30)
    room = PROCESS + POOL + 2 * (PROCESS_OWN + GB) + PROCESS_OWN // 2
    limits = within(an_estimate(clusters, predict, jobs=8), int(MARGIN * room))
    assert (limits.jobs, limits.at_once) == (2, {"clusters": 2, "predict": 2})


def test_a_budget_for_three_by_hand():
    stage = Stage("clusters", "", tasks=40, task=GB)
    room = PROCESS + POOL + 3 * (PROCESS_OWN + GB) + GB // 2
    limits = within(an_estimate(stage, jobs=8), int(MARGIN * room))
    assert (limits.jobs, limits.at_once) == (3, {"clusters": 3})


def test_the_parent_does_not_hold_results_that_are_files():
    small = Stage("clusters", "", tasks=40, task=GB, result=BY_FILE - 1, held=5)
    assert small.results(4) == 5 + 37 * (BY_FILE - 1)
    assert replace(small, result=BY_FILE).results(4) == 5


def test_what_is_too_large_says_how_much_it_needs_and_what_helps():
    stage = Stage("clusters", "more clusters", tasks=40, task=6 * GB)
    estimated = an_estimate(stage, jobs=8)
    text = too_large(estimated, 2 * GB)
    assert text == (
        "may need 7.8 GB even with one task at a time, and executor.max_memory is 2.0 GB; most "
        "of it is one task of stage clusters (6.0 GB); use more clusters"
    )
    assert within(estimated, 2 * GB) is None


def test_little_memory_is_told_in_megabytes_and_one_process_as_one():
    text = too_large(an_estimate(Stage("clusters", "", tasks=2, task=1000), jobs=8), 2**20)
    assert text == (
        "may need 260 MB even with one task at a time, and executor.max_memory is 1 MB; most of it "
        "is the Python process (208 MB); use a machine with more memory"
    )
    assert "executor.max_memory is 2 kB" in too_large(an_estimate(Stage("a", "", 1), jobs=1), 2048)
