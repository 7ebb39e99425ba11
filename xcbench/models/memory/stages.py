"""From what each stage of a job holds to the memory of all its processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

MIB = 2**20
# A process with the models imported: what is its own, and the libraries it maps, whose pages all
# processes share. Measured with numpy 2.4, scipy 1.17 and numba 0.68 on 64-bit Linux: 92 and 97 MiB
# in a worker, 103 and 100 in the process of ``xcbench run``.
PROCESS_OWN = 96 * MIB
PROCESS_SHARED = 102 * MIB
PROCESS = PROCESS_OWN + PROCESS_SHARED
POOL = 50 * MIB  # the two helpers that loky starts beside its workers
FREED = 32 * MIB  # what the C library keeps, as a rule, of what a process has freed
# Results of at least this size go by file, and the parent maps them; smaller ones pass a pipe
# sooner.
BY_FILE = 1 << 20
# Of a freed model of small arrays the C library was seen to keep between a tenth and all: other
# pieces lie between, and the thread that unpickles results has a heap of its own, which does not
# shrink.
KEPT = 0.75
# Peaks of small jobs were up to a sixth above what is estimated for them, which cannot know how
# uneven the clusters become; a limit is planned for with a quarter.
MARGIN = 1.25


@dataclass(frozen=True)
class Stage:
    """One stage of a job: tasks, and what the parent holds meanwhile. All sizes in bytes.

    Attributes
    ----------
    name : str
    advice : str
        Which settings make its tasks smaller.
    tasks : int
        How many there are; a single one, and all of one process, run in the parent.
    task : int
        What the largest adds to the process that runs it.
    mapped : int
        Files whose pages that process touches, beside the libraries.
    result : int
        A task's result on average; the parent keeps all.
    held : int
        What else the parent holds.
    freed : int
        What the processes that run tasks keep of memory freed before.
    """

    name: str
    advice: str
    tasks: int
    task: int = 0
    mapped: int = 0
    result: int = 0
    held: int = 0
    freed: int = 0

    def at_once(self, jobs: int, most: int | None = None) -> int:
        """Tasks that run at the same time, in so many processes and held to ``most``."""
        return min(self.tasks, jobs, most or jobs)

    def in_parent(self, jobs: int) -> bool:
        return jobs == 1 or self.tasks == 1

    def results(self, jobs: int, most: int | None = None) -> int:
        """What the parent holds while the last tasks run, one result on its way through a pipe.

        Large results are files, of which the parent reads nothing before all are there.
        """
        if self.result >= BY_FILE:
            return self.held
        arriving = 0 if self.in_parent(jobs) else 1
        return self.held + self.result * (self.tasks - self.at_once(jobs, most) + arriving)

    def parent(self, jobs: int, most: int | None = None) -> int:
        """The parent process."""
        own = PROCESS + self.results(jobs, most)
        if self.in_parent(jobs):
            own += self.task + self.mapped
        return own + (self.freed if jobs == 1 else 0)

    def total(self, jobs: int, most: int | None = None) -> int:
        """All processes, pages that several map counted for each."""
        if jobs == 1:
            return self.parent(jobs)
        total = self.parent(jobs, most) + POOL + jobs * (PROCESS + self.freed)
        if not self.in_parent(jobs):
            total += self.at_once(jobs, most) * (self.task + self.mapped)
        return total

    def repeated(self, jobs: int, most: int | None = None) -> int:
        """Of the total, pages that were counted before, for another process."""
        if jobs == 1:
            return 0
        again = 0 if self.in_parent(jobs) else (self.at_once(jobs, most) - 1) * self.mapped
        return jobs * PROCESS_SHARED + max(again, 0)

    def within(self, budget: int, jobs: int) -> int:
        """The most tasks at once that need no more than so many bytes, shared pages counted once.

        0 where not even one does; 1 for a stage without tasks that does.
        """
        for most in range(max(self.at_once(jobs), 1), 0, -1):
            if self.total(jobs, most) - self.repeated(jobs, most) <= budget:
                return most
        return 0


@dataclass(frozen=True)
class Limits:
    """How a job keeps to a budget of memory.

    Attributes
    ----------
    jobs : int
        Processes.
    at_once : dict of str to int
        Tasks of each stage that may run at the same time.
    """

    jobs: int
    at_once: dict[str, int]


@dataclass(frozen=True)
class MemoryEstimate:
    """What a job is expected to take at its peak, in bytes.

    Attributes
    ----------
    stages : tuple of Stage
    jobs : int
        Processes.
    advice : str
        Which settings make the model smaller.
    at_once : mapping of str to int
        Tasks of a stage that may run at the same time, where there is a limit.
    """

    stages: tuple[Stage, ...]
    jobs: int
    advice: str
    at_once: Mapping[str, int] = field(default_factory=dict)

    @property
    def peak(self) -> Stage:
        """The stage that takes most memory."""
        return max(self.stages, key=self._needed)

    @property
    def parent(self) -> int:
        """The largest the parent process becomes."""
        return max(stage.parent(self.jobs, self.at_once.get(stage.name)) for stage in self.stages)

    @property
    def task(self) -> int:
        """What the largest task adds to the process that runs it."""
        return max(stage.task for stage in self.stages)

    @property
    def tasks_at_once(self) -> int:
        """Tasks of the stage with the largest that run at the same time."""
        largest = max(self.stages, key=lambda stage: stage.task)
        return largest.at_once(self.jobs, self.at_once.get(largest.name))

    @property
    def total(self) -> int:
        """Resident memory of all processes, as ``peak_rss_bytes`` counts it."""
        return max(stage.total(self.jobs, self.at_once.get(stage.name)) for stage in self.stages)

    @property
    def needed(self) -> int:
        """The memory it takes: ``total`` with pages that several processes map counted once."""
        return self._needed(self.peak)

    def with_jobs(self, jobs: int) -> MemoryEstimate:
        """The same job in so many processes."""
        return replace(self, jobs=jobs)

    def limited(self, limits: Limits) -> MemoryEstimate:
        """The same job held to limits."""
        return replace(self, jobs=limits.jobs, at_once=limits.at_once)

    def _needed(self, stage: Stage) -> int:
        most = self.at_once.get(stage.name)
        return stage.total(self.jobs, most) - stage.repeated(self.jobs, most)


def within(estimate: MemoryEstimate, budget: int) -> Limits | None:
    """The most that may run at once in so many bytes; None where not even one task may.

    What is estimated keeps to the budget ``MARGIN`` times over.

    A process takes memory by itself: there are no more than a stage can use, nor so many that
    another stage, the one that is held back most, would be held back further.
    """
    best, most = None, 0.0
    planned = int(budget / MARGIN)
    for jobs in range(1, estimate.jobs + 1):
        at_once = {stage.name: stage.within(planned, jobs) for stage in estimate.stages}
        least = min(
            at_once[stage.name] / max(stage.at_once(estimate.jobs), 1) for stage in estimate.stages
        )
        if max(at_once.values()) == jobs and least > 0 and least >= most:
            best, most = Limits(jobs, at_once), least
    return best


def too_large(estimate: MemoryEstimate, budget: int) -> str:
    """One sentence where not even one task at a time keeps to a budget."""
    alone = estimate.with_jobs(1)
    part, advice = _largest_part(alone)
    return (
        f"may need {_size(int(alone.needed * MARGIN))} even with one task at a time, and "
        f"executor.max_memory is {_size(budget)}; most of it is {part}; use {advice}"
    )


def warning(estimate: MemoryEstimate, available: int) -> str | None:
    """One sentence for the log where a job will not fit in so many available bytes, else None."""
    if estimate.needed <= available:
        return None
    part, advice = _largest_part(estimate)
    fitting = [j for j in range(1, estimate.jobs) if estimate.with_jobs(j).needed <= available]
    if fitting:
        remedy = f"executor.jobs of at most {fitting[-1]} would fit; else use {advice}"
    elif estimate.jobs > 1:
        remedy = f"not even executor.jobs: 1 would fit; use {advice}"
    else:
        remedy = f"use {advice}"
    return (
        f"this job may not fit in memory: it needs about {_size(estimate.needed)} at its peak and "
        f"{_size(available)} are available; most of it is {part}; {remedy}"
    )


def _largest_part(estimate: MemoryEstimate) -> tuple[str, str]:
    """What takes most memory at the peak, and which settings make that smaller."""
    stage, jobs = estimate.peak, estimate.jobs
    tasks = stage.at_once(jobs, estimate.at_once.get(stage.name))
    processes = jobs + 1 if jobs > 1 else 1
    running = f"{tasks} tasks at once" if tasks > 1 else "one task"
    sizes = {
        (f"{running} of stage {stage.name}", stage.advice): tasks * stage.task,
        ("the model in the parent process", estimate.advice): stage.results(jobs),
        ("the saved model and the data, mapped", estimate.advice): stage.mapped,
        (
            f"{processes} Python processes" if processes > 1 else "the Python process",
            "a machine with more memory",
        ): (processes * PROCESS_OWN + PROCESS_SHARED),
    }
    (what, advice), size = max(sizes.items(), key=lambda item: item[1])
    return f"{what} ({_size(size)})", advice


def _size(size: int) -> str:
    if size >= 1e9:
        return f"{size / 1e9:.1f} GB"
    return f"{size / 1e6:.0f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"
