"""What ``xcbench data convert`` is given: which files those are, their form, and what they hold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from xcbench.errors import ConfigError, DataError

if TYPE_CHECKING:
    from xcbench.config.dataset import DatasetConfig
    from xcbench.data.convert.content import Content, RowDraw
    from xcbench.data.convert.forms import Form
    from xcbench.data.convert.texts import RecordColumns
    from xcbench.data.texts.features import TextSettings


class Inputs:
    """Files of a form, or a dataset, which has a name and no form.

    Attributes
    ----------
    name : str or None
        Of a dataset, below ``root``.
    root : Path
    form : str or None
    paths, test : list of Path
        The files of the first, or only, part and of the test part.
    found_in : Path or None
        The folder in which files were found that a conversion made.
    """

    def __init__(
        self,
        given: list[str],
        test: list[Path],
        from_: str | None,
        base: int | None,
        data: Path,
        split: int | None,
    ) -> None:
        from xcbench.data.convert.forms import FORMS, find_files, guess_form, parse_form

        self.paths, self.test = [Path(text) for text in given], test
        if [path.suffix.lower() for path in self.paths] == [".xml", ".arff"]:
            self.paths.reverse()  # which is which is plain, whatever the order
        self.split = split or 1
        self.base: Literal[0, 1] | None = base  # type: ignore[assignment]
        self.form: Form | None = None
        self.name, self.root = _dataset(given, data)
        self.found_in: Path | None = None
        if from_:
            self.form = parse_form(from_, "--from", FORMS)
        if self.name is not None:
            if from_ or test:
                raise ConfigError(f"{given[0]} is a dataset; --from and --test go with files")
            folder = self.root / self.name
            if not self._is_in_place() and (found := find_files(folder)):
                self.form, self.paths, self.test = found
                self.name, self.found_in = None, folder
        elif self.form is None:
            self.form, why = guess_form(self.paths[0])
            typer.echo(f"reading {self.paths[0]} as {self.form} (by {why}; --from says otherwise)")
        if base is not None and self.form != "libsvm":
            raise ConfigError("--base goes with headerless libsvm (--from libsvm)")
        if split is not None and self.name is None:
            raise ConfigError("--split goes with a dataset that comes with split files")

    def require_outside(self, out: Path) -> None:
        """Refuse to replace a folder that holds what is read.

        Raises
        ------
        ConfigError
            An input lies in it, or it lies in the dataset's folder that is read.
        """
        read = self.paths + self.test if self.name is None else [self.root / self.name]
        for path in read:
            places = {path.absolute(), path.resolve()}
            if any(out.resolve() in (place, *place.parents) for place in places):
                raise ConfigError(f"{out} holds {path}, which is read; take another name for --out")

    @property
    def config(self) -> DatasetConfig:
        """The dataset, as a config names it."""
        from pydantic import ValidationError

        from xcbench.config.dataset import DatasetConfig

        try:
            return DatasetConfig(name=self.name)
        except ValidationError:
            raise ConfigError(f"{self.name!r} is no name of a dataset; rename the folder") from None

    def _is_in_place(self) -> bool:
        from xcbench.data.sources import locate

        try:
            locate(self.config, self.root, self.split)
        except DataError:
            return False
        return True


def _dataset(given: list[str], data: Path) -> tuple[str | None, Path]:
    """The name and the data folder of the dataset that is meant; no name if files are."""
    first = Path(given[0])
    if first.is_file() or len(given) > 1:
        return None, data
    if first.is_absolute() or (first.is_dir() and not (data / first).is_dir()):
        first = first.resolve()
        if first.is_dir():
            return first.name, first.parent
    if not (data / first).is_dir() and (first.suffix or len(first.parts) > 1):
        raise DataError(f"{given[0]}: no such file or folder (looked for it in {Path.cwd()})")
    return str(first), data


def content_of_matrices(inputs: Inputs, share: RowDraw | None) -> Content:
    """Read what is no records of texts."""
    from xcbench.data.convert.content import joined
    from xcbench.data.convert.read import read_dataset, read_part

    if inputs.form is None:
        content = read_dataset(inputs.config, inputs.root, inputs.split)
    else:
        content = read_part(inputs.paths, inputs.form, inputs.base)
        if inputs.test:
            xml = inputs.paths[1] if inputs.form == "mulan" and len(inputs.paths) == 2 else None
            content = joined(content, read_part(inputs.test, inputs.form, inputs.base, xml))
    if share is None:
        return content
    if content.test is not None:
        raise ConfigError("--test-share: the data has a test part already")
    return content.split(share)


def content_of_texts(
    inputs: Inputs,
    columns: RecordColumns,
    settings: TextSettings | None,
    share: RowDraw | None,
) -> Content:
    """Read records of texts; without settings by what lies beside them, else by the defaults.

    The labels beside them are kept in any case, also those that no row has.
    """
    from xcbench.data.convert.texts import Kept, content_of_documents, read_documents

    for paths in (inputs.paths, inputs.test):
        if len(paths) > 1:
            raise ConfigError(f"{' '.join(map(str, paths))}: {inputs.form} takes one file a part")
    if inputs.test and share is not None:
        raise ConfigError("--test-share: the data has a test part already")
    if not inputs.test and share is None:
        raise ConfigError(
            "texts need a test part: give --test FILE, or --test-share 0.2 to take a fifth"
        )
    parts = [read_documents(path, inputs.form, columns) for path in (*inputs.paths, *inputs.test)]  # type: ignore[arg-type]
    test = parts[1] if inputs.test else None
    kept = Kept.beside(inputs.found_in) if inputs.found_in else Kept()
    if settings is not None:
        kept = replace(kept, text=None, settings=settings)
    return content_of_documents(parts[0], test, kept, share)
