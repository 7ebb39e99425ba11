"""The house: which room may look into which, and what stands in the hall."""

import ast
import itertools
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from xcbench.config.loader import load_config
from xcbench.runner.plan import check_against_catalogue

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "xcbench"
MODULES = sorted(PACKAGE.rglob("*.py"))

# Each room may import from itself and from those after it.
ORDER = (
    "cli", "bench", "report", "tuning", "runner", "api", "inference", "tasks", "models", "optim",
    "manifolds", "metrics", "data", "config", "kernels", "errors",
)  # fmt: skip
ENTRANCES = {"__init__", "__main__"}  # of the package itself: they stand in no room
TOP_LEVEL = {
    "pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "Makefile", "configs", "xcbench",
    "data", "results", "tests",
}  # fmt: skip


def room(module: str) -> str | None:
    """The room of ``xcbench.room...``; None for the package itself and for foreign modules."""
    parts = module.split(".")
    return parts[1] if parts[0] == "xcbench" and len(parts) > 1 else None


def imported(path: Path) -> set[str]:
    """Every module a file imports, at the top or inside a function."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def test_imports_run_downwards_only():
    upwards = []
    for path in MODULES:
        here = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if here in ENTRANCES:
            continue
        for name in imported(path):
            there = room(name)
            if there in ORDER and ORDER.index(there) < ORDER.index(here):
                upwards.append(f"{path.relative_to(ROOT)} imports {name}")
    assert upwards == []


def test_every_room_has_a_place_in_the_order():
    rooms = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in MODULES}
    assert rooms - ENTRANCES == set(ORDER)


def test_the_report_reads_the_store_and_never_the_runner():
    for path in (PACKAGE / "report").rglob("*.py"):
        assert not {room(name) for name in imported(path)} & {"runner", "tasks", "models"}


def test_the_top_level_holds_what_the_design_names():
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard"],
        capture_output=True, text=True,
    )  # fmt: skip
    if listed.returncode:
        pytest.skip("not a git checkout")
    names = {line.split("/")[0] for line in listed.stdout.splitlines()}
    assert {name for name in names if not name.startswith(".")} <= TOP_LEVEL


@pytest.mark.parametrize("path", sorted((ROOT / "configs").rglob("*.yaml")), ids=lambda p: p.stem)
def test_every_config_validates(path):
    check_against_catalogue(load_config(path))


def test_no_module_is_too_long_to_be_one_idea():
    long = {str(p.relative_to(ROOT)): n for p in MODULES if (n := p.read_text().count("\n")) > 350}
    assert long == {}


def test_only_the_command_line_and_the_report_print():
    printing = [
        str(path.relative_to(ROOT))
        for path in MODULES
        if path.relative_to(PACKAGE).parts[0] not in ("cli", "report")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "print"
    ]
    assert printing == []


def test_what_is_imported_is_declared_and_the_other_way_round():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    def names(requirements):
        imports = {"pyyaml": "yaml", "scikit-learn": "sklearn", "metric-learn": "metric_learn"}
        bare = {requirement.split(">=")[0].strip() for requirement in requirements}
        return {imports.get(name, name) for name in bare}

    core = names(project["dependencies"])
    extras = names(itertools.chain(*project["optional-dependencies"].values()))
    used = {name.split(".")[0] for path in MODULES for name in imported(path)}
    foreign = used - set(sys.stdlib_module_names) - {"xcbench"}
    assert foreign - core <= extras
    assert core <= foreign


def test_no_pickle_is_ever_loaded():
    """Neither pickle and its kin, nor numpy, pandas, joblib or yaml where they would unpickle."""
    unpicklers = {"pickle", "cloudpickle", "dill", "shelve", "marshal"}
    calls = ("joblib.load(", "read_pickle(", "allow_pickle=True", "unsafe_load(", "full_load(")
    found = []
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        found += [f"{path}: {name}" for name in imported(path) if name.split(".")[0] in unpicklers]
        found += [f"{path}: {call}" for call in calls if call in text]
        for node in ast.walk(ast.parse(text)):
            call = ast.unparse(node) if isinstance(node, ast.Call) else ""
            if call.startswith("yaml.load(") and "SafeLoader" not in call:
                found.append(f"{path}: {call}")
    assert found == []
