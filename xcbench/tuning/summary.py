"""What a search came to: its best trials, how sure that is, and a config with the best values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from scipy.special import stdtrit

from xcbench.config.schema import JobConfig, MethodConfig
from xcbench.config.sweep import LONGEST_LABEL
from xcbench.config.yaml import dump, inline
from xcbench.tuning.search import Search
from xcbench.tuning.trial_lines import Trial

LEVEL = 0.05
_SUFFIX = "-tuned"


def ranked(trials: Sequence[Trial]) -> list[Trial]:
    """The finished trials, the best first; of equal ones the earlier."""
    done = [trial for trial in trials if trial.is_done]
    return sorted(done, key=lambda trial: (-trial.scores["objective"], trial.number))


def is_beyond_chance(trial: Trial, compared: int, n_held: int) -> bool:
    """Whether a trial is better than trial 0 by more than chance makes the best of many.

    By Student's t over the held-out rows, two-sided; the 5 % of chance are shared among all that
    were compared (Bonferroni). Rows that all differ by the same, or a single one, tell nothing of
    chance.
    """
    error = trial.scores.get("difference_se", 0.0)
    if n_held < 2 or not error > 0:
        return False
    needed = float(stdtrit(n_held - 1, 1 - LEVEL / (2 * max(1, compared))))
    return trial.scores["difference"] > needed * error


def verdict(trial: Trial, compared: int, n_held: int) -> str:
    """How a trial compares with trial 0, in words."""
    if trial.number == 0:
        return "no trial is better than the config as it is"
    if not trial.is_compared:
        return "trial 0 failed, so there is nothing to compare it with"
    stated = f"{with_error(trial.scores, 'difference', '+')} to trial 0"
    if n_held < 2:
        return f"{stated}: a single held-out row tells nothing of chance"
    among = f"the best of {compared} others" if compared > 1 else "one other"
    if is_beyond_chance(trial, compared, n_held):
        return f"{stated}: better beyond chance, as {among}"
    return f"{stated}: no more than chance can make {among}"


def with_error(scores: Mapping[str, float], name: str, sign: str = "") -> str:
    """A score and its standard error, where it has one: 61.20 +- 0.75."""
    error = scores["se" if name == "objective" else f"{name}_se"]
    value = f"{scores[name]:{sign}.2f}"
    return value if math.isnan(error) else f"{value} +- {error:.2f}"


def best_config(search: Search, trials: Sequence[Trial], held_out_rows: int) -> str:
    """A config with the values of the best trial, to run on the whole training part."""
    best, *_ = ranked(trials)
    job = _whole(search, best)
    mapping = job.mapping() | {"executor": search.executor.model_dump()}
    lines = [
        f"Chosen by `xcbench tune` ({search.sampler}, seed {job.seed}): trial {best.number} of "
        f"{len(trials)}, by {search.objective} on {held_out_rows} held-out training rows,",
        f"{with_error(best.scores, 'objective')}; "
        f"{verdict(best, comparisons(trials), held_out_rows)}.",
        "No test row was looked at. What was searched, and what was chosen:",
        *(
            f"  {key}: {inline(span.mapping())} -> {inline(best.point[key])}"
            for key, span in search.space.items()
        ),
    ]
    return "".join(f"# {line}\n" for line in lines) + dump(mapping)


def comparisons(trials: Sequence[Trial]) -> int:
    """How many trials were compared with trial 0."""
    return sum(trial.is_compared and trial.number > 0 for trial in trials)


def _whole(search: Search, best: Trial) -> JobConfig:
    job = search.at(best.point)
    method = job.method
    if best.number:
        label = method.label[: LONGEST_LABEL - len(_SUFFIX)] + _SUFFIX
        method = MethodConfig(label, method.preset, method.settings)
    dataset = job.dataset.model_copy(update={"held_out": None})
    return replace(job, dataset=dataset, method=method)
