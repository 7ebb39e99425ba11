"""Reading a file a block at a time gives what reading all of it gives, defects included."""

import gzip
import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from xcbench.data import byte_lines
from xcbench.data.blocks import iter_blocks
from xcbench.data.libsvm import read_libsvm
from xcbench.data.npz import read_npz
from xcbench.data.sparse_text import read_sparse_text
from xcbench.data.xc_text import read_xc, write_xc
from xcbench.errors import ConfigError, DataError

D = 30


def points(n: int, seed: int = 0) -> tuple[sparse.csr_array, sparse.csr_array]:
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, D), density=0.2, format="csr", rng=rng, dtype=np.float32)
    Y = sparse.random_array((n, 9), density=0.2, format="csr", rng=rng, dtype=np.float32)
    Y.data[:] = 1
    return X, Y


@pytest.fixture
def small_reads(monkeypatch):
    """A file of kilobytes takes many reads, so that blocks end within it."""
    original = byte_lines.whole_lines
    monkeypatch.setattr("xcbench.data.rows.whole_lines", lambda path: original(path, 512))


def same(blocks, whole: sparse.csr_array, rows: int) -> None:
    blocks = list(blocks)
    assert all(0 < block.shape[0] <= rows for block in blocks)
    joined = sparse.vstack(blocks, format="csr")
    assert joined.shape == whole.shape
    for part in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(joined, part), getattr(whole, part))


@pytest.mark.parametrize("rows", [1, 7, 64, 1000])
@pytest.mark.parametrize("packed", [False, True])
def test_blocks_of_an_xc_text_are_its_rows_in_order(tmp_path, small_reads, rows, packed):
    path = tmp_path / ("a.txt.gz" if packed else "a.txt")
    write_xc(path, *points(200))
    same(iter_blocks(path, "xc", D, rows), read_xc(path).X, rows)


def test_split_form_libsvm_and_npz_give_the_same_blocks(tmp_path, small_reads):
    X, _ = points(150)
    xc, pair, libsvm, npz = (tmp_path / name for name in ("x.txt", "p.txt", "l.txt", "n.npz"))
    write_xc(xc, X, sparse.csr_array((150, 0)))
    header, *rows = xc.read_text().split("\n")
    pair.write_text("\n".join([header.rsplit(" ", 1)[0], *rows]))
    # A row without labels and features is none in libsvm; every point here has a feature.
    assert np.diff(X.indptr).all()
    libsvm.write_text("\n".join(rows))
    sparse.save_npz(npz, X)
    whole = read_xc(xc).X
    same(iter_blocks(pair, "pair", D, 32), read_sparse_text(pair), 32)
    same(iter_blocks(libsvm, "libsvm", D, 32, 0), read_libsvm(libsvm, 0, D).X, 32)
    same(iter_blocks(npz, "npz", D, 32), read_npz(npz), 32)
    same(iter_blocks(pair, "pair", D, 32), whole, 32)


@settings(max_examples=40)
@given(st.data())
def test_a_defect_is_told_as_by_the_reader_of_whole_files(tmp_path_factory, data):
    """Whatever is done to one line, both readers accept or refuse it, in the same words."""
    X, Y = points(40, seed=3)
    path = tmp_path_factory.mktemp("defect") / "a.txt"
    write_xc(path, X, Y)
    lines = path.read_text().split("\n")
    at = data.draw(st.integers(0, len(lines) - 1))
    junk = data.draw(st.sampled_from(["", "x", "1,2 3:", "999:1", "0:1 0:2", "8,8 1:1", "40 30 9"]))
    lines[at] = junk
    path.write_text("\n".join(lines))
    original = byte_lines.whole_lines
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("xcbench.data.rows.whole_lines", lambda path: original(path, 256))
        outcomes = []
        for read in (
            lambda: read_xc(path).X,
            lambda: sparse.vstack(list(iter_blocks(path, "xc", D, 8)), format="csr"),
        ):
            try:
                outcomes.append(read().toarray().tolist())
            except DataError as error:
                outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]


def test_rows_before_a_defect_are_given_and_its_line_is_told(tmp_path, small_reads):
    path = tmp_path / "a.txt"
    write_xc(path, *points(300))
    lines = path.read_text().split("\n")
    lines[250] = "1 5:nan"
    path.write_text("\n".join(lines))
    blocks = iter_blocks(path, "xc", D, 50)
    assert next(blocks).shape == (50, D)
    with pytest.raises(DataError, match=r"a\.txt, line 251: value 'nan' of feature 5"):
        list(blocks)


def test_no_more_than_a_block_is_read_ahead(tmp_path, small_reads, monkeypatch):
    """Constant memory: what is asked of the file does not run ahead of what is given."""
    path = tmp_path / "a.txt"
    write_xc(path, *points(2000))
    taken = 0
    original = byte_lines.whole_lines

    def counted(path: Path):
        nonlocal taken
        for block in original(path, 512):
            taken += block.size
            yield block

    monkeypatch.setattr("xcbench.data.rows.whole_lines", counted)
    a_row = path.stat().st_size / 2000
    for number, _ in enumerate(itertools.islice(iter_blocks(path, "xc", D, 20), 50), start=1):
        assert taken <= 20 * a_row * number * 1.5 + 2 * 512


def test_long_rows_end_a_block_early(tmp_path, small_reads, monkeypatch):
    monkeypatch.setattr("xcbench.data.blocks.ENTRIES", 60)
    path = tmp_path / "a.txt"
    write_xc(path, *points(200))
    sizes = [block.nnz for block in iter_blocks(path, "xc", D, 10_000)]
    assert len(sizes) > 10
    assert max(sizes) < 60 + 512 // 2


def test_another_number_of_features_is_refused(tmp_path):
    path, npz = tmp_path / "a.txt", tmp_path / "a.npz"
    write_xc(path, *points(5))
    sparse.save_npz(npz, points(5)[0])
    for each, form in ((path, "xc"), (npz, "npz")):
        with pytest.raises(DataError, match="30 features; the model was fitted to 31"):
            list(iter_blocks(each, form, 31, 10, stated_by="the model was fitted to"))
    path.write_text("1 40:1\n")
    with pytest.raises(DataError, match="feature 40 is out of range; the model was fitted to 31"):
        list(iter_blocks(path, "libsvm", 31, 10, 0, "the model was fitted to"))


def test_what_cannot_be_read_so_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="base"):
        next(iter_blocks(tmp_path / "a.txt", "libsvm", D, 10))
    with pytest.raises(ConfigError, match="standard input"):
        next(iter_blocks(Path("-"), "npz", D, 10))
    (tmp_path / "cut.txt.gz").write_bytes(gzip.compress(b"2 30 9\n1 2:3\n1 2:3\n" * 9)[:-12])
    with pytest.raises(DataError, match="line"):
        list(iter_blocks(tmp_path / "cut.txt.gz", "xc", D, 10))
