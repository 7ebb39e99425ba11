"""``xcbench env``: the machine and the versions a result would be recorded with."""

from __future__ import annotations

from typing import Annotated

import typer


def env(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Print the machine and versions results are recorded with."""
    import json

    import scipy.linalg  # noqa: F401  the BLAS of scipy is another one, loaded when first used

    from xcbench.runner.provenance import collect

    facts = collect()
    if as_json:
        typer.echo(json.dumps(facts, indent=1))
        return
    width = max(map(len, facts))
    for name, value in facts.items():
        typer.echo(f"{name:{width}}  {'' if value is None else value}")
