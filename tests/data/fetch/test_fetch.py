import errno
import hashlib
import itertools
import json
import logging
import os
import shutil
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest
from filelock import FileLock
from typer.testing import CliRunner

from tests.data.fetch.conftest import TEXTS, TOY, TOY_ZIP, Served, send, version, zipped
from xcbench.cli.main import app
from xcbench.data.catalogue import catalogue
from xcbench.data.fetch import extract, part, place
from xcbench.data.fetch.fetch import fetch
from xcbench.errors import DataError

ROOT = Path(__file__).parents[3]


@pytest.fixture
def root(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def get(root, meter):
    return lambda name="toy", **options: fetch(name, root, meter, **options)


def tree(root):
    """Every file below a folder, but for lock files."""
    files = (path for path in root.rglob("*") if path.is_file() and path.suffix != ".lock")
    return {str(path.relative_to(root)) for path in files}


WHOLE = {f"toy/{name}" for name in (*TEXTS, "fetched.json")}


def test_a_dataset_is_downloaded_checked_and_put_in_place_without_litter(toy, get, root):
    done = get()
    assert done.is_new
    assert [path.name for path in done.sources.files] == list(TEXTS)
    assert tree(root) == WHOLE
    assert not (root / ".fetch" / "toy").exists()


def test_what_is_in_place_is_not_asked_for_again(toy, get, server):
    get()
    server.log.clear()
    assert not get().is_new
    assert server.log == []


def test_the_note_tells_where_from_and_the_digest_of_every_file(toy, get, root, server):
    get()
    note = json.loads((root / "toy" / "fetched.json").read_text())
    assert note["address"] == f"{server.url}/Toy.zip"
    assert note["sha256"] == hashlib.sha256(TOY_ZIP).hexdigest()
    assert note["bytes"] == len(TOY_ZIP)
    assert {file["name"]: (file["bytes"], file["sha256"]) for file in note["files"]} == {
        name: (len(text), hashlib.sha256(text.encode()).hexdigest()) for name, text in TEXTS.items()
    }


def test_a_file_that_lost_bytes_since_is_not_in_place(toy, get, root):
    get()
    (root / "toy" / "Toy_data.txt").write_text(TEXTS["Toy_data.txt"][:-4])
    with pytest.raises(DataError, match=r"found 22 bytes; fetched\.json says 26\n.*--force"):
        get()
    assert get(force=True).is_new
    assert (root / "toy" / "Toy_data.txt").read_text() == TEXTS["Toy_data.txt"]


def test_another_dataset_of_the_same_name_is_not_in_place(toy, get, root):
    (root / "toy").mkdir(parents=True)
    for name in ("train.txt", "test.txt"):
        (root / "toy" / name).write_text("1 3 2\n0 0:1\n")
    message = r"train\.txt: found 1 3 2; the catalogue expects 2 3 2 rows, features and labels"
    with pytest.raises(DataError, match=message):
        get()


def test_other_files_in_the_folder_are_not_touched_without_force(toy, get, root):
    (root / "toy").mkdir(parents=True)
    (root / "toy" / "thesis.tex").write_text("mine")
    with pytest.raises(DataError, match=r"holds other files \(thesis\.tex\)"):
        get()
    assert tree(root) == {"toy/thesis.tex"}
    get(force=True)
    assert tree(root) == WHOLE


@pytest.mark.parametrize("is_there", [True, False])
def test_force_takes_a_link_away_and_not_what_it_leads_to(is_there, toy, get, root, tmp_path):
    elsewhere = tmp_path / "scratch"
    if is_there:
        elsewhere.mkdir()
        (elsewhere / "kept.txt").write_text("mine")
    root.mkdir()
    (root / "toy").symlink_to(elsewhere)
    get(force=True)
    assert tree(root) == WHOLE
    assert tree(elsewhere) == ({"kept.txt"} if is_there else set())


def mirrors(server, *downloads):
    return [
        {"url": f"{server.url}/{path}", "archive": "Toy.zip", **more} for path, more in downloads
    ]


def test_the_next_address_is_tried_when_one_gives_something_else(server, know, get, root):
    other = {name: text.replace("3 3 2", "4 3 2") for name, text in TEXTS.items()}
    server.files |= {
        "/page": Served(b"<html><title>Sign in</title>", kind="text/html"),
        "/untold-page": Served(b"<html>quota"),
        "/other": Served(zipped(other)),
        "/cut.zip": Served(TOY_ZIP[:200]),
        "/wrong": Served(TOY_ZIP),
        "/good": Served(TOY_ZIP),
    }
    no_digest = {"checksum": "md5:" + "0" * 32}
    bad = ("gone", {}), ("page", {}), ("untold-page", {}), ("other", {}), ("cut.zip", {})
    know(*mirrors(server, *bad, ("wrong", no_digest), ("good", {})))
    assert get().is_new
    assert tree(root) == WHOLE
    assert [path for path, _ in server.log] == [
        "/gone", "/page", "/untold-page", "/other", "/cut.zip", "/wrong", "/good",
    ]  # fmt: skip


def test_when_no_address_works_the_message_says_all_and_what_to_do_by_hand(server, know, get, root):
    server.files["/wrong"] = Served(TOY_ZIP)
    know(*mirrors(server, ("gone", {}), ("wrong", {"checksum": "md5:" + "0" * 32})))
    with pytest.raises(DataError) as caught:
        get()
    text = str(caught.value)
    digest = hashlib.md5(TOY_ZIP).hexdigest()
    assert f"{server.url}/gone\n    the server answers 404" in text
    assert f"found md5 {digest}; expected {'0' * 32}, as published" in text
    assert "from one of these addresses or by way of http://toy.example/page" in text
    assert f"save it as\n  {root / 'Toy.zip'}\n" in text
    assert f"`xcbench data fetch toy --data {root}`" in text
    kept = [name for name in tree(root) if name.endswith(".rejected")]
    assert len(kept) == 1
    assert kept[0] in text


def test_a_file_got_by_hand_is_taken_in_where_the_message_said_to_put_it(know, get, root):
    know({"url": "http://127.0.0.1:9/Toy.zip", "archive": "Toy.zip"})
    root.mkdir()
    (root / "Toy.zip").write_bytes(TOY_ZIP)
    assert get().is_new
    assert tree(root) == WHOLE | {"Toy.zip"}
    assert json.loads((root / "toy" / "fetched.json").read_text())["address"] is None


def test_a_file_got_by_hand_that_is_not_the_published_one_is_warned_of(know, get, root, caplog):
    no_digest = "md5:" + "0" * 32
    know({"url": "http://127.0.0.1:9/Toy.zip", "archive": "Toy.zip", "checksum": no_digest})
    root.mkdir()
    (root / "Toy.zip").write_bytes(TOY_ZIP)
    assert get().is_new
    assert "expected 00000000000000000000000000000000, as published" in caplog.text


def test_a_named_file_is_taken_in_and_nothing_downloaded(toy, get, root, tmp_path, server):
    archive = tmp_path / "downloaded (1).zip"
    archive.write_bytes(TOY_ZIP)
    assert get(archive=archive).is_new
    assert server.log == []
    assert archive.exists()


def test_a_bad_file_got_by_hand_is_named_and_stays(toy, get, root, tmp_path, monkeypatch):
    archive = tmp_path / "page.zip"
    archive.write_text("<!doctype html>")
    with pytest.raises(DataError, match=r"page\.zip: found a web page"):
        get(archive=archive)
    with pytest.raises(DataError, match=r"no\.zip: no such file"):
        get(archive=tmp_path / "no.zip")

    def refuse(*arguments, **options):
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(type(archive), "open", refuse)
        with pytest.raises(DataError, match=r"page\.zip: cannot be read \(Permission denied\)"):
            get(archive=archive)
    assert archive.exists()
    assert not (root / "toy").exists()


def test_a_dataset_without_an_address_says_what_is_needed(know, get, root):
    know()
    with pytest.raises(DataError, match="no address of its files in XC format is known") as caught:
        get()
    assert "Toy_data.txt + toy_trSplit.txt + toy_tstSplit.txt" in str(caught.value)


def test_an_unknown_name_is_told_so(get, root, tmp_path):
    with pytest.raises(DataError, match=r"unknown dataset 'bibtx'.*did you mean 'bibtex'"):
        get("bibtx")
    with pytest.raises(DataError, match="not in the catalogue"):
        get("mine", archive=tmp_path / "mine.zip")


def test_data_not_in_the_catalogue_is_in_place_if_it_is_there(get, root):
    (root / "mine").mkdir(parents=True)
    for name in ("train.txt", "test.txt"):
        (root / "mine" / name).write_text("1 1 1\n\n")
    assert not get("mine").is_new


def test_no_published_checksum_is_said(server, know, get, caplog):
    server.files["/a"] = Served(TOY_ZIP)
    know(*mirrors(server, ("a", {})))
    with caplog.at_level(logging.INFO):
        get()
    assert any("no checksum is published" in message for message in caplog.messages)


SHAPES = {
    "at the top": TEXTS,
    "one folder": {f"Toy/{name}": text for name, text in TEXTS.items()},
    "two folders": {f"XC/Toy/{name}": text for name, text in TEXTS.items()},
    "other case": {f"TOY/{name.upper()}": text for name, text in TEXTS.items()},
    "junk": {f"__MACOSX/Toy/._{name}": "x" for name in TEXTS}
    | {f"Toy/{name}": text for name, text in TEXTS.items()},
    "scattered": {
        f"{'data' if 'data' in name else 'splits'}/{name}": text for name, text in TEXTS.items()
    },
    "with more": {f"Toy/{name}": text for name, text in (TEXTS | {"README": "read me"}).items()},
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_files_are_found_wherever_the_archive_has_them(shape, know, get, tmp_path):
    know()
    archive = tmp_path / "a.zip"
    archive.write_bytes(zipped(SHAPES[shape]))
    assert len(get(archive=archive).sources.files) == 3


def test_an_archive_without_the_files_says_what_it_holds(know, get, tmp_path):
    know()
    archive = tmp_path / "a.zip"
    archive.write_bytes(zipped({"Toy/Toy_data.txt": TEXTS["Toy_data.txt"], "Toy/b": ""}))
    with pytest.raises(DataError, match=r"found Toy/Toy_data\.txt, Toy/b; expected the files of"):
        get(archive=archive)
    archive.write_bytes(zipped({f"{name}/{name}": text for name, text in TEXTS.items()}))
    with pytest.raises(DataError, match="expected the files of toy"):  # cannot be brought together
        get(archive=archive)


def test_an_archive_with_the_dataset_twice_is_refused(know, get, tmp_path):
    know()
    archive = tmp_path / "a.zip"
    archive.write_bytes(zipped({f"{f}/{n}": text for n, text in TEXTS.items() for f in "ab"}))
    with pytest.raises(DataError, match="more than once, in a, b"):
        get(archive=archive)


def test_a_member_named_as_our_note_is_refused(know, get, tmp_path):
    know()
    archive = tmp_path / "a.zip"
    archive.write_bytes(zipped(TEXTS | {"FETCHED.json": "{}"}))
    with pytest.raises(DataError, match="xcbench's own note"):
        get(archive=archive)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("Toy_data.txt", "3 4 2\n", r"Toy_data\.txt: found 3 4 2; the catalogue expects 3 3 2"),
        ("Toy_data.txt", "", "expected a header of counts"),
        ("Toy_data.txt", "0,1 0:1 1:2\n", "expected a header of counts"),
        ("toy_trSplit.txt", "1\n2\n", "split"),
        ("toy_trSplit.txt", "1 2\n", r"found 1; the catalogue expects 2 rows in split 2"),
    ],
)
def test_files_of_other_sizes_are_refused_with_both(name, text, message, get, know, tmp_path):
    know()
    archive = tmp_path / "a.zip"
    archive.write_bytes(zipped(TEXTS | {name: text}))
    with pytest.raises(DataError, match=message):
        get(archive=archive)


def headers(entry, layout):
    """Small files of a layout that state what the catalogue says."""
    parts, widths = (entry.n_train, entry.n_test), (entry.n_features, entry.n_labels)
    if layout.kind == "files":
        return [f"{n} {widths[0]} {widths[1]}\n" for n in parts]
    if layout.kind == "pairs":
        return [f"{n} {width}\n" for n in parts for width in widths]
    lines = [f"{row}{f' {row}' * (entry.n_splits - 1)}\n" for row in range(1, sum(parts) + 1)]
    data = f"{sum(parts)} {widths[0]} {widths[1]}\n"
    return [data, "".join(lines[: parts[0]]), "".join(lines[parts[0] :])]


@pytest.mark.parametrize("name", [n for n, entry in catalogue().items() if entry.downloads])
def test_the_archives_of_the_repository_are_recognised(name, get, tmp_path, root):
    # Each folder an archive is known to unpack to, with the files known to be in it.
    entry = catalogue()[name]
    kinds = {"files", "pairs"} | ({"splits"} if entry.n_splits > 1 else set())
    layouts = [layout for layout in entry.layouts if layout.kind in kinds]
    for folder, layout in zip(itertools.cycle(entry.folders[1:]), layouts, strict=False):
        files = dict(zip(layout.files, headers(entry, layout), strict=True))
        archive = tmp_path / "a.zip"
        archive.write_bytes(zipped({f"{folder}/{file}": text for file, text in files.items()}))
        found = get(name, archive=archive, force=True)
        assert {path.name for path in found.sources.files} == set(layout.files)
        assert found.sources.files[0].parent == root / name


def test_a_full_disk_during_the_unpacking_is_told_and_the_download_kept(
    toy, get, root, monkeypatch, server
):
    def full(*arguments):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(extract.os, "fsync", full)
        patch.setattr(part.os, "fsync", lambda descriptor: None)
        patch.setattr(extract, "_write", full)
        with pytest.raises(DataError, match=r"cannot write to .*No space left on device.*is kept"):
            get()
    assert not (root / "toy").exists()
    server.log.clear()
    assert get().is_new
    assert server.log == []  # what had arrived was enough
    assert tree(root) == WHOLE


def test_a_disk_too_small_for_the_download_is_told_before_it_begins(toy, get, monkeypatch):
    usage = type(part.shutil.disk_usage("/"))(10, 5, 5)
    monkeypatch.setattr(part.shutil, "disk_usage", lambda path: usage)
    with pytest.raises(DataError, match=rf"needs {len(TOY_ZIP)} bytes, 5 bytes are free"):
        get()


def test_a_data_folder_that_cannot_be_written_is_told(toy, get, root, monkeypatch):
    root.write_text("a file, not a folder")
    with pytest.raises(DataError, match=rf"cannot write to {root} .*--data"):
        get()


def test_a_read_only_folder_with_the_dataset_in_place_is_enough(toy, get, root, monkeypatch):
    get()

    def refuse(*arguments, **options):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refuse)
    monkeypatch.setattr(place.os, "fsync", refuse)
    assert not get().is_new


def test_two_at_once_download_once(toy, server, root, meter):
    def slow(handler, served):
        time.sleep(0.2)
        send(handler, 200, served.body, version(served))

    toy.answers = [slow]
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(fetch("toy", root, meter).is_new))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [False, True]
    assert len(server.log) == 1
    assert tree(root) == WHOLE


def test_who_waits_for_another_process_is_told_so(toy, get, root, caplog):
    (root / ".fetch").mkdir(parents=True)
    held = threading.Event()

    def hold():
        with FileLock(root / ".fetch" / "toy.lock"):
            held.set()
            time.sleep(0.2)

    other = threading.Thread(target=hold)
    other.start()
    held.wait()
    with caplog.at_level(logging.INFO):
        assert get().is_new
    other.join()
    assert "toy: another process is fetching it; waiting" in caplog.messages


def start(root, entry):
    """The command in a process of its own, with the toy dataset in its catalogue."""
    code = f"""
        import sys
        from xcbench.data import catalogue
        real = catalogue._read()
        content = real | {{"datasets": real["datasets"] | {{"toy": {entry!r}}}}}
        catalogue._read = lambda: content
        from xcbench.cli.main import main
        sys.argv = ["xcbench", "data", "fetch", "toy", "--data", {str(root)!r}]
        main()
        """
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], env=environment, stderr=subprocess.DEVNULL
    )


def test_a_killed_fetch_goes_on_and_leaves_no_litter(server, root, know, get):
    files = {f"Toy/{name}": text for name, text in TEXTS.items()}
    content = zipped(files | {"Toy/more": os.urandom(1 << 20)})
    half = len(content) // 2
    killed = threading.Event()

    def stall(handler, served):
        send(handler, 200, content[:half], version(served), length=len(content))
        handler.wfile.flush()
        killed.wait(60)

    server.files["/Toy.zip"] = Served(content, answers=[stall])
    download = {"url": f"{server.url}/Toy.zip", "archive": "Toy.zip"}
    process = start(root, TOY | {"downloads": [download]})
    deadline = time.monotonic() + 60
    while not any(path.stat().st_size > 1 << 17 for path in root.glob(".fetch/toy/*/*.part")):
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.02)
    process.kill()
    process.wait()
    killed.set()
    assert not (root / "toy").exists()
    (part_file,) = root.glob(".fetch/toy/*/*.part")
    arrived = part_file.stat().st_size
    assert 0 < arrived <= half
    (root / ".fetch" / "toy" / "unpacked").mkdir()  # as one killed while unpacking leaves it
    (root / ".fetch" / "toy" / "unpacked" / "half").write_text("x")

    know(download)
    assert get().is_new
    assert server.log == [("/Toy.zip", None), ("/Toy.zip", f"bytes={arrived}-")]
    assert tree(root) == WHOLE | {"toy/more"}


def test_a_failed_fetch_with_force_puts_back_what_was_there(toy, get, root, server, monkeypatch):
    get()

    def full(self, target):
        if self.parent.name == "stage":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return os.rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", full)
        with pytest.raises(DataError, match="No space left"):
            get(force=True)
    assert {name for name in tree(root) if name.startswith("toy/")} == WHOLE
    server.files.clear()
    shutil.rmtree(root / ".fetch")
    with pytest.raises(DataError, match="could not be downloaded"):
        get(force=True)
    assert tree(root) == WHOLE
    assert not (root / ".fetch" / "toy").exists()


class Killed(BaseException):
    """Ends a fetch as a kill would: nothing in the project catches it."""


@pytest.mark.parametrize("force", [False, True])
def test_a_kill_at_any_step_leaves_the_dataset_whole_or_away(toy, get, root, monkeypatch, force):
    steps = left = 0

    def counted(real):
        def call(*arguments, **options):
            nonlocal left
            left -= 1
            if left == 0:
                raise Killed
            return real(*arguments, **options)

        return call

    for name in ("replace", "rename", "fsync", "mkdir", "unlink", "rmdir"):
        monkeypatch.setattr(os, name, counted(getattr(os, name)))
    if force:
        get()
    killed = True
    while killed:
        steps, killed = steps + 1, False
        left = steps
        try:
            get(force=force)
        except Killed:
            killed = True
        left = 0
        assert {name for name in tree(root) if name.startswith("toy/")} in (set(), WHOLE)
        get(force=force)
        assert tree(root) == WHOLE
        if not force:
            shutil.rmtree(root)
    assert steps > 10


def command(*words):
    return CliRunner().invoke(app, ["data", "fetch", *map(str, words)])


def test_the_command_says_what_it_did(toy, root):
    first = command("toy", "--data", root)
    assert (first.exit_code, first.stdout) == (0, f"toy: fetched, {root / 'toy'}\n")
    second = command("toy", "--data", root)
    assert (second.exit_code, second.stdout) == (0, f"toy: in place, {root / 'toy'}\n")


def test_the_command_goes_on_with_the_next_name_and_fails_in_the_end(toy, root):
    result = command("no-such-set", "toy", "toy", "--data", root)
    assert result.exit_code == DataError.exit_code
    assert "toy: fetched" in result.stdout
    assert "error: unknown dataset 'no-such-set'" in result.stderr
    assert "Traceback" not in result.output


def test_one_file_is_one_datasets(toy, root, tmp_path):
    result = command("toy", "bibtex", "--data", root, "--from", tmp_path / "a.zip")
    assert result.exit_code == 2
    assert "give one NAME" in result.stderr


def test_without_the_libraries_the_command_says_how_to_get_them(toy, root, monkeypatch):
    for name in ("xcbench.data.fetch.download", "xcbench.data.fetch.answers"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "requests", None)
    result = command("toy", "--data", root)
    assert result.exit_code == 2
    assert "pip install 'xcbench[fetch]'" in result.stderr
    archive = root / "Toy.zip"
    archive.write_bytes(TOY_ZIP)
    assert command("toy", "--data", root).exit_code == 0
