"""Many numbered runs of one check, counted and timed; each under a time limit."""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Callable

from tests.fuzz.limits import TooSlow, limit_memory, time_limit

SECONDS_PER_INPUT = 10.0
EXTRA_BYTES = 2 << 30

Check = Callable[[int], str | None]


def failure_of(check: Check, number: int) -> str | None:
    """What is wrong in one run: what the check says, an exception it let out, or a hang."""
    try:
        with time_limit(SECONDS_PER_INPUT):
            return check(number)
    except TooSlow:
        return f"takes longer than {SECONDS_PER_INPUT:g} s"
    except Exception:
        return traceback.format_exc(limit=-4)


def main(subject: str, check: Check) -> None:
    """The command line of a campaign; exit code 1 if any run failed."""
    parser = argparse.ArgumentParser(description=f"Damaged input for {subject}.")
    parser.add_argument("--runs", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=0, help="Another seed is other input.")
    parser.add_argument("--first", type=int, default=0, help="Number of the first run.")
    parser.add_argument("--most-failures", type=int, default=20)
    options = parser.parse_args()
    limit_memory(EXTRA_BYTES)
    failures, start = 0, time.perf_counter()
    for number in range(options.first, options.first + options.runs):
        failure = failure_of(check, (options.seed << 40) + number)
        if failure is not None:
            failures += 1
            print(f"run {number}: {failure}", flush=True)  # noqa: T201
            if failures == options.most_failures:
                break
    seconds = time.perf_counter() - start
    done = number + 1 - options.first if options.runs else 0
    rate = f"{done / max(seconds, 1e-9):.0f} a second"
    print(f"{subject}: {done} inputs in {seconds:.0f} s ({rate}), {failures} failures")  # noqa: T201
    sys.exit(1 if failures else 0)
