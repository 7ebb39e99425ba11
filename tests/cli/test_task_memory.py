"""--max-memory and the tasks whose work is not spread over processes."""

from __future__ import annotations

from pathlib import Path


def test_modes_too_large_for_the_limit_are_left_out_and_others_run(xcbench, tmp_path: Path) -> None:
    text = (
        "task: {kind: compressed_modes, modes: 3}\n"
        "datasets: [{line: 100000}, {line: 20}]\n"
        "methods: [{preset: modes-soc, iterations: 2}]\n"
    )
    (tmp_path / "modes.yaml").write_text(text)
    done = xcbench("run", "modes.yaml", "--max-memory", "260M")
    assert done.exit_code == 1
    assert "modes-soc on line-100000 is left out: it may need" in done.stderr
    assert "1 run, 1 left out (--max-memory)" in done.stdout
