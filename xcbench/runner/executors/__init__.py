"""Where the tasks of a job run: in this process, in processes of this machine, or on others.

Wherever that is, every task runs with the same number of BLAS threads and tasks share nothing, so a
result does not depend on it.
"""

from xcbench.runner.executors.base import InProcessExecutor
from xcbench.runner.executors.make import make_executor, missing
from xcbench.runner.executors.processes import LokyExecutor, kill_workers, stop_workers
from xcbench.runner.work import limited_threads

__all__ = [
    "InProcessExecutor",
    "LokyExecutor",
    "kill_workers",
    "limited_threads",
    "make_executor",
    "missing",
    "stop_workers",
]
