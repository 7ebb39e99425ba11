"""What compiled code writes is lost, what Python writes is not, and closed streams stay closed."""

import os
import subprocess
import sys

import pytest

from xcbench.models.peers import silence
from xcbench.models.peers.silence import silenced


def test_what_goes_past_python_is_lost_and_what_python_holds_is_not(capfd):
    sys.stdout.write("before ")
    with silenced():
        os.write(1, b"from compiled code")
        os.write(2, b"from compiled code")
    sys.stdout.write("after")
    sys.stdout.flush()
    assert capfd.readouterr() == ("before after", "")


def test_the_streams_come_back_after_an_error(capfd):
    with pytest.raises(RuntimeError), silenced():
        raise RuntimeError
    os.write(1, b"heard")
    assert capfd.readouterr().out == "heard"


CLOSED = """
import os, sys
exec(open(sys.argv[1]).read())
with silenced():
    os.write(1, b"x")
    os.write(2, b"x")
with open("descriptors.txt", "w") as file:
    for descriptor in (1, 2):
        try:
            os.fstat(descriptor)
            file.write("open ")
        except OSError:
            file.write("closed ")
"""


@pytest.mark.parametrize(
    ("closing", "expected"),
    [(">&-", {"closed open ", "open open "}), ("2>&-", {"open closed ", "open open "})],
)
def test_a_closed_stream_does_no_harm(closing, expected, tmp_path):
    """The file that says so may itself be given the closed descriptor, and then finds it open."""
    command = f'exec "$0" -c "$1" "$2" {closing}'
    subprocess.run(
        ["/bin/sh", "-c", command, sys.executable, CLOSED, silence.__file__],
        cwd=tmp_path, check=True, capture_output=True,
    )  # fmt: skip
    assert (tmp_path / "descriptors.txt").read_text() in expected


def test_no_descriptor_is_left_open():
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        with silenced():
            pass
    assert len(os.listdir("/proc/self/fd")) == before
