"""The same checks, steered by coverage: atheris keeps what reaches new code and builds on it.

    python -m tests.fuzz.guided reader --runs 200000
    python -m tests.fuzz.guided config --runs 200000

Needs the extra ``fuzz``. The compiled kernel cannot be watched; the reference parser, which takes
the same decisions, can, and so can all of the Python around both. An input that fails is kept by
libFuzzer as ``crash-...`` in the working directory, and fails again when it is given as --input.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import atheris

import xcbench.kernels.parse  # noqa: F401  (before the others: numba cannot compile what is watched)

with atheris.instrument_imports(include=["tests.fuzz", "xcbench.data", "xcbench.config", "yaml"]):
    from tests.fuzz import config, mutate, reader
    from tests.fuzz.reader import BLOCKS, Case

N_SEEDS = 400
FORMS = ("xc", "split form", "libsvm 0", "libsvm 1", "rows 1", "rows 2")


class Failure(Exception):
    """What the check found wrong."""


def read_bytes(data: bytes) -> None:
    """One input for the readers; its first byte chooses the form and the size of the blocks."""
    if not data:
        return
    form, block = divmod(data[0], len(BLOCKS))
    case = Case(FORMS[form % len(FORMS)], data[1:], BLOCKS[block])
    if failure := reader.difference(case, reader.scratch_file()):
        raise Failure(failure)


def load_bytes(data: bytes) -> None:
    """One input for the config loader."""
    if failure := config.wrong(data, config.scratch_file()):
        raise Failure(failure)


def reader_seeds() -> list[bytes]:
    """Cases of the random campaign, in the form of an input."""
    cases = [reader.made(number) for number in range(N_SEEDS)]
    return [
        bytes([FORMS.index(case.form) * len(BLOCKS) + BLOCKS.index(case.block_bytes)]) + case.data
        for case in cases
    ]


def config_seeds() -> list[bytes]:
    """The sound configs, and damaged ones."""
    return [*config.SMALL, *config.LARGE, *(config.made(number) for number in range(N_SEEDS))]


Target = tuple[Callable[[bytes], None], Callable[[], list[bytes]], tuple[bytes, ...]]
TARGETS: dict[str, Target] = {
    "reader": (read_bytes, reader_seeds, mutate.TOKENS),
    "config": (load_bytes, config_seeds, config.TOKENS),
}


def write_dictionary(path: Path, tokens: tuple[bytes, ...]) -> None:
    """Tokens in libFuzzer's form; it takes none of more than 64 bytes."""
    quoted = ["".join(f"\\x{byte:02x}" for byte in token) for token in tokens if len(token) <= 64]
    path.write_text("".join(f'"{token}"\n' for token in quoted if token))


def main() -> None:
    """The command line; ends with libFuzzer's exit code."""
    parser = argparse.ArgumentParser(description="Coverage-guided input.")
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--runs", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--input", type=Path, help="Run this one input.")
    options = parser.parse_args()
    run, seeds, tokens = TARGETS[options.target]
    if options.input:
        run(options.input.read_bytes())
        return
    with tempfile.TemporaryDirectory() as folder:
        corpus, dictionary = Path(folder) / "corpus", Path(folder) / "dictionary"
        corpus.mkdir()
        for i, data in enumerate(seeds()):
            (corpus / str(i)).write_bytes(data)
        write_dictionary(dictionary, tokens)
        limits = ["-max_len=6000", "-timeout=10", "-rss_limit_mb=4096", f"-seed={options.seed}"]
        flags = [f"-runs={options.runs}", f"-dict={dictionary}", "-print_final_stats=1"]
        atheris.Setup([sys.argv[0], *flags, *limits, str(corpus)], run)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
