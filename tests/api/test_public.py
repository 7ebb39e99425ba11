"""What ``import xcbench`` gives, and what it leaves alone."""

import subprocess
import sys

import pytest

import xcbench


def test_every_public_name_is_there_once_asked_for():
    for name in xcbench.__all__:
        assert getattr(xcbench, name).__name__ == name
    assert set(xcbench.__all__) <= set(dir(xcbench))
    with pytest.raises(AttributeError, match="no attribute 'RXLM'"):
        xcbench.RXLM  # noqa: B018


def test_the_import_alone_loads_nothing():
    code = (
        "import sys; before = set(sys.modules); import xcbench; print(*set(sys.modules) - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {"xcbench", "__future__"}


def test_names_from_the_top_have_types():
    """A type checker sees through the lazy import only if the static one names the same things."""
    import ast
    from pathlib import Path

    tree = ast.parse(Path(xcbench.__file__).read_text(encoding="utf-8"))
    static = {
        alias.name: node.module
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module.startswith("xcbench")
        for alias in node.names
    }
    assert static == xcbench._HOMES
    assert Path(xcbench.__file__).with_name("py.typed").is_file()
