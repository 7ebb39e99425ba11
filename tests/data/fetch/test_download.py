import json
import logging
from types import SimpleNamespace

import pytest
import requests

from tests.data.fetch.conftest import Served, send, version, well_behaved
from xcbench.data.fetch.answers import RefusedError, failure, require_safe_redirect
from xcbench.data.fetch.download import download
from xcbench.data.fetch.progress import LogMeter, bar_meter, shown_bytes

BODY = bytes(range(256)) * 4096  # a megabyte in which every place can be told
HALF = len(BODY) // 2


def cut(n):
    """Promise all and hang up after n bytes."""
    return lambda handler, served: send(
        handler, 200, served.body[:n], version(served), length=len(served.body)
    )


def status(code, **headers):
    return lambda handler, served: send(handler, code, b"", list(headers.items()))


def page(handler, served):
    text = b"<html><head><title>Google Drive - Quota exceeded</title></head><body></body></html>"
    send(handler, 200, text, [("Content-Type", "text/html; charset=utf-8")])


@pytest.fixture
def served(server):
    server.files["/f.zip"] = Served(BODY)
    return server.files["/f.zip"]


@pytest.fixture
def get(server, tmp_path, meter):
    def run(path="/f.zip"):
        download(f"{server.url}{path}", tmp_path / "f.zip", meter)
        assert [file.name for file in tmp_path.iterdir()] == ["f.zip"]
        return (tmp_path / "f.zip").read_bytes()

    return run


def ranges(server):
    return [wanted for _, wanted in server.log]


def test_a_cut_download_goes_on_where_it_stopped(served, get, server):
    served.answers = [cut(HALF)]
    assert get() == BODY
    assert ranges(server) == [None, f"bytes={HALF}-"]


def test_many_cuts_are_survived_as_long_as_each_try_brings_something(served, get, server):
    def piece(handler, served):
        start = int((handler.headers.get("Range") or "bytes=0-")[6:-1])
        n = len(served.body)
        rest = [*version(served), ("Content-Range", f"bytes {start}-{n - 1}/{n}")]
        status = 206 if start else 200
        send(handler, status, served.body[start : start + n // 8], rest, length=n - start)

    served.answers = [piece] * 7
    assert get() == BODY
    assert len(server.log) == 8


def test_without_a_new_byte_the_address_is_given_up_and_the_part_stays(
    served, server, tmp_path, meter, get
):
    served.answers = [cut(HALF), *[status(503)] * 4]
    with pytest.raises(RefusedError, match=r"the server answers 503 .*\(4 tries\)"):
        download(f"{server.url}/f.zip", tmp_path / "f.zip", meter)
    assert (tmp_path / "f.zip.part").stat().st_size == HALF
    assert get() == BODY  # the next process goes on
    assert ranges(server)[-1] == f"bytes={HALF}-"


def test_a_server_that_ignores_range_makes_the_download_start_over(served, get, server):
    served.answers = [cut(HALF), lambda handler, served: send(handler, 200, BODY, version(served))]
    assert get() == BODY
    assert ranges(server) == [None, f"bytes={HALF}-"]


@pytest.mark.parametrize("etag", ['"v1"', None, 'W/"weak"'])
def test_a_file_that_changed_between_the_cut_and_the_rest_is_not_glued_together(etag, served, get):
    served.etag, served.last_modified = etag, "Mon, 01 Jan 2024 00:00:00 GMT"

    def cut_and_change(handler, served):
        cut(HALF)(handler, served)
        served.body = BODY[::-1]
        served.etag = etag and etag.replace("v1", "v2")
        served.last_modified = "Tue, 02 Jan 2024 00:00:00 GMT"

    served.answers = [cut_and_change]
    assert get() == BODY[::-1]


def test_a_server_that_ignores_if_range_is_caught_by_its_own_version(served, get, server):
    def rest_of_another(handler, served):
        served.body, served.etag = BODY[::-1], '"v2"'
        handler.headers.replace_header("If-Range", '"v2"')
        well_behaved(handler, served)

    served.answers = [cut(HALF), rest_of_another]
    assert get() == BODY[::-1]
    assert ranges(server) == [None, f"bytes={HALF}-", None]


def shifted(handler, served):
    """Send another range than asked for."""
    n = len(BODY)
    rest = [*version(served), ("Content-Range", f"bytes 0-{n - HALF - 1}/{n}")]
    send(handler, 206, BODY[: n - HALF], rest)


def test_a_server_that_sends_another_range_than_asked_is_not_believed(served, get, server):
    served.answers = [cut(HALF), shifted]
    assert get() == BODY
    assert ranges(server) == [None, f"bytes={HALF}-", None]


def test_a_server_that_sends_a_little_at_a_time_is_asked_on(served, get, server):
    def little(handler, served):
        start, n = int(handler.headers["Range"][6:-1]), len(BODY)
        rest = [*version(served), ("Content-Range", f"bytes {start}-{start + n // 8 - 1}/{n}")]
        send(handler, 206, BODY[start : start + n // 8], rest)

    served.answers = [cut(HALF), *[little] * 4]
    assert get() == BODY
    assert len(server.log) == 5


@pytest.mark.parametrize("answers", [[cut(HALF)], [cut(HALF), shifted]])
def test_a_server_that_never_gets_farther_is_given_up(answers, served, get, server):
    served.answers = answers * 50
    with pytest.raises(RefusedError, match=r"\(4 tries\)"):
        get()
    assert len(server.log) == 4


def test_a_file_that_became_shorter_is_begun_anew(served, get):
    def cut_and_shrink(handler, served):
        cut(HALF)(handler, served)
        served.body = BODY[:100]

    served.answers = [cut_and_shrink]
    assert get() == BODY[:100]


def test_a_part_of_unknown_version_is_not_gone_on_with(served, get, server):
    served.etag = None
    served.answers = [cut(HALF)]
    assert get() == BODY
    assert ranges(server) == [None, None]


@pytest.mark.parametrize(
    "note", [None, "{", '{"url": "http://other", "validator": "x", "total": 9}', "[1]"]
)
def test_a_part_whose_note_is_missing_torn_or_of_another_file_is_thrown_away(
    note, served, get, server, tmp_path
):
    (tmp_path / "f.zip.part").write_bytes(b"rubbish")
    if note is not None:
        (tmp_path / "f.zip.part.json").write_text(note)
    assert get() == BODY
    assert ranges(server) == [None]


def test_a_part_that_is_whole_is_not_asked_for_again(served, get, server, tmp_path):
    (tmp_path / "f.zip.part").write_bytes(BODY)
    note = {"url": f"{server.url}/f.zip", "validator": '"v1"', "total": len(BODY)}
    (tmp_path / "f.zip.part.json").write_text(json.dumps(note))
    assert get() == BODY
    assert server.log == []


def test_a_body_shorter_than_stated_is_never_taken_for_whole(served, server, tmp_path, meter):
    def short(handler, served):
        send(handler, 200, BODY[:HALF], [("ETag", '"v1"')], length=len(BODY))

    served.answers = [short] * 9
    with pytest.raises(RefusedError, match="the connection was cut"):
        download(f"{server.url}/f.zip", tmp_path / "f.zip", meter)
    assert not (tmp_path / "f.zip").exists()


def test_passing_trouble_is_tried_again(served, get, server):
    served.answers = [status(503), status(429, **{"Retry-After": "0"}), status(500)]
    assert get() == BODY
    assert len(server.log) == 4


@pytest.mark.parametrize("code", [401, 403, 404, 410])
def test_a_refusal_is_final_at_once(code, served, get, server):
    served.answers = [status(code)]
    with pytest.raises(RefusedError, match=f"the server answers {code}"):
        get()
    assert len(server.log) == 1


def test_a_page_with_status_200_is_no_file(served, get, server, tmp_path):
    served.answers = [page]
    with pytest.raises(RefusedError, match=r"a web page came .*'Google Drive - Quota exceeded'"):
        get()
    assert list(tmp_path.iterdir()) == []


def test_a_body_packed_on_the_way_is_refused(served, get):
    served.answers = [status(200, **{"Content-Encoding": "gzip"})]
    with pytest.raises(RefusedError, match="packed"):
        get()


@pytest.mark.parametrize("where", ["file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://x"])
def test_a_redirect_away_from_the_web_is_refused(where, served, get):
    served.answers = [status(302, Location=where)]
    with pytest.raises(RefusedError, match="expected an https address"):
        get()


def test_a_redirect_within_the_web_is_followed(served, get, server):
    server.files["/old"] = Served(b"", answers=[status(302, Location="/f.zip")])
    assert get("/old") == BODY


def test_https_does_not_go_on_as_http():
    response = requests.Response()
    response.status_code, response.url = 302, "https://a.example/x"
    response.headers["Location"] = "http://a.example/x"
    with pytest.raises(RefusedError, match="expected an https address"):
        require_safe_redirect(response)
    response.headers["Location"] = "/y"
    require_safe_redirect(response)


def test_a_server_that_is_not_there_is_told_in_plain_words(tmp_path, meter, server):
    server.server_close()
    with pytest.raises(RefusedError, match=r"127\.0\.0\.1: Connection refused \(4 tries\)"):
        download(f"{server.url}/f.zip", tmp_path / "f.zip", meter)


def test_a_host_without_a_name_is_told_in_plain_words():
    error = requests.ConnectionError(OSError(-2, "Name or service not known"))
    error.request = SimpleNamespace(url="https://drive.google.com/uc")
    assert str(failure(error)) == "drive.google.com: Name or service not known"


FORM = (
    '<html><title>Google Drive - Virus scan warning</title><form id="download-form" '
    'action="{url}/f.zip" method="get"><input type="hidden" name="id" value="7">'
    '<input type="hidden" name="confirm" value="t"></form></html>'
)


@pytest.fixture
def asked(server, google_is_here):
    """A page that asks whether one is sure."""
    text = FORM.format(url=server.url).encode()
    server.files["/uc"] = Served(text, etag=None, kind="text/html; charset=utf-8")


def test_drives_question_is_answered_and_the_rest_can_still_be_had(asked, served, get, server):
    served.answers = [cut(HALF)]
    assert get("/uc?id=7&resourcekey=0-k") == BODY
    question = ("/uc?id=7&resourcekey=0-k", None)
    address = "/f.zip?id=7&confirm=t"
    assert server.log == [question, (address, None), question, (address, f"bytes={HALF}-")]


def test_drives_small_files_come_without_a_question(served, get, google_is_here):
    assert get() == BODY


def test_a_page_of_drive_that_leads_nowhere_is_a_refusal(served, get, google_is_here):
    served.answers = [page]
    with pytest.raises(RefusedError, match="Quota exceeded"):
        get()


def test_a_page_of_drive_that_leads_elsewhere_is_a_refusal(server, get, google_is_here):
    text = FORM.format(url="http://other.example").encode()
    server.files["/uc"] = Served(text, kind="text/html")
    with pytest.raises(RefusedError, match=r"leads to http://other\.example"):
        get("/uc")


def test_without_a_terminal_progress_is_log_lines(caplog):
    with caplog.at_level(logging.INFO), LogMeter(every=0.0)("f.zip", 500, 2000) as advance:
        advance(700)
    assert caplog.messages[0].startswith("f.zip: 1.2 kB of 2.0 kB, ")


def test_at_a_terminal_progress_is_a_bar(capsys):
    with bar_meter("f.zip", 500, 2000) as advance:
        advance(1500)
    assert "f.zip: 100%" in capsys.readouterr().err


def test_bytes_are_said_in_the_unit_that_fits():
    counts = (0, 999, 1000, 1_500_000, 2_000_000_000, 3_000_000_000_000)
    assert [shown_bytes(count) for count in counts] == [
        "0 bytes", "999 bytes", "1.0 kB", "1.5 MB", "2.0 GB", "3000.0 GB",
    ]  # fmt: skip
