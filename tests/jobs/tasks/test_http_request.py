import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from controlplane.actors import SYSTEM
from controlplane.errors import PermissionDenied
from jobs import registry
from jobs.backend import JobTask
from jobs.errors import InvalidArguments, PermanentFailure, TaskCancelled, TaskTimedOut
from jobs.runtime.context import JobContext
from jobs.runtime.log_capture import current_log, install
from jobs.tasks import http_request
from jobs.tasks.http_connection import HttpRequestFailed
from jobs.tasks.http_request import BODY_START_BYTES, MAX_REDIRECTS, guard_enqueue
from tests.jobs.tasks.conftest import SetOptions, printed
from tests.jobs.tasks.http_server import Reply, Server, serving
from tests.waiting import wait_until


@pytest.fixture
def server(set_options: SetOptions) -> Iterator[Server]:
    with serving() as server:
        set_options(http_request_enabled=True, http_request_allowed_private=(server.place,))
        yield server


def run(context: JobContext, url: str, **arguments: Any) -> dict[str, Any]:
    result: dict[str, Any] = http_request.func(context, url, **arguments)
    return result


def test_it_is_known_by_its_dotted_path_and_is_retried() -> None:
    task = registry.task_named("jobs.tasks.http_request.http_request")
    assert isinstance(task, JobTask)
    assert task.max_attempts == 4
    assert task.guard is guard_enqueue


def test_the_answer_is_reported(context: JobContext, server: Server) -> None:
    server.replies["/health"] = Reply(body="gut\x00 é".encode())
    result = run(context, server.url("/health"), body_contains="é")
    assert result.pop("elapsed_ms") >= 0
    assert result == {"status": 200, "bytes": 7, "body_start": "gut\ufffd é", "body_cut": False}


def test_the_report_shows_only_the_start_of_a_long_body(
    context: JobContext, server: Server
) -> None:
    server.replies["/"] = Reply(body=b"x" * 5000)
    result = run(context, server.url())
    assert (result["bytes"], len(result["body_start"])) == (5000, BODY_START_BYTES)


def test_the_log_says_what_was_asked(context: JobContext, server: Server) -> None:
    install()
    server.replies["/"] = Reply()
    token = current_log.set(context.output)
    try:
        run(context, server.url())
    finally:
        current_log.reset(token)
    assert f"GET {server.url()} answered 200" in printed(context, "log")


@pytest.mark.parametrize("status", [408, 425, 429, 500, 503])
def test_a_status_that_may_pass_is_tried_again(
    context: JobContext, server: Server, status: int
) -> None:
    server.replies["/"] = Reply(status)
    with pytest.raises(HttpRequestFailed, match=f"Status {status}, expected 2xx") as caught:
        run(context, server.url())
    assert caught.value.code == "http_status"


@pytest.mark.parametrize("status", [400, 401, 404, 410])
def test_a_status_that_will_not_pass_is_final(
    context: JobContext, server: Server, status: int
) -> None:
    server.replies["/"] = Reply(status)
    with pytest.raises(PermanentFailure, match=f"Status {status}") as caught:
        run(context, server.url())
    assert caught.value.code == "http_status"


def test_other_statuses_may_be_expected(context: JobContext, server: Server) -> None:
    server.replies["/"] = Reply(404)
    assert run(context, server.url(), expected_status=[404, 410])["status"] == 404
    server.replies["/"] = Reply(200)
    with pytest.raises(HttpRequestFailed, match="Status 200, expected 404, 410"):
        run(context, server.url(), expected_status=[410, 404])


def test_text_that_is_missing_fails(context: JobContext, server: Server) -> None:
    server.replies["/"] = Reply(body=b"all down")
    with pytest.raises(HttpRequestFailed, match="does not contain 'all up'") as caught:
        run(context, server.url(), body_contains="all up")
    assert caught.value.code == "http_body"


def test_redirects_are_followed(context: JobContext, server: Server) -> None:
    server.replies["/a"] = Reply(302, headers={"Location": "/b"})
    server.replies["/b"] = Reply(307, headers={"Location": server.url("/c")})
    server.replies["/c"] = Reply(body=b"here")
    assert run(context, server.url("/a"))["body_start"] == "here"


def test_a_redirect_that_is_expected_is_the_answer(context: JobContext, server: Server) -> None:
    server.replies["/"] = Reply(302, headers={"Location": "/elsewhere"})
    assert run(context, server.url(), expected_status=[302])["status"] == 302


def test_a_redirect_without_a_target_is_an_answer(context: JobContext, server: Server) -> None:
    server.replies["/"] = Reply(302)
    with pytest.raises(HttpRequestFailed, match="Status 302"):
        run(context, server.url())


def test_a_circle_of_redirects_ends(context: JobContext, server: Server) -> None:
    server.replies["/"] = Reply(302, headers={"Location": "/"})
    with pytest.raises(PermanentFailure, match="More than 5 redirects") as caught:
        run(context, server.url())
    assert caught.value.code == "too_many_redirects"
    assert len(server.seen) == MAX_REDIRECTS + 1


@pytest.mark.parametrize(
    "location",
    ["http://127.0.0.1:1/", "http://localhost/", "http://169.254.169.254/latest/", "//[::1]/"],
)
def test_a_redirect_to_the_inside_is_refused(
    context: JobContext, server: Server, location: str
) -> None:
    server.replies["/"] = Reply(302, headers={"Location": location})
    with pytest.raises(PermanentFailure) as caught:
        run(context, server.url())
    assert caught.value.code == "address_refused"


def test_a_redirect_to_another_protocol_is_refused(context: JobContext, server: Server) -> None:
    server.replies["/"] = Reply(302, headers={"Location": "file:///etc/passwd"})
    with pytest.raises(PermanentFailure, match="must start with http") as caught:
        run(context, server.url())
    assert caught.value.code == "invalid_arguments"


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "0.0.0.0",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "[::ffff:127.0.0.1]",
        "169.254.169.254",
        "10.0.0.1",
        "192.168.0.1",
        "172.16.9.9",
        "[fd00::1]",
    ],
)
def test_the_inside_is_refused_and_the_refusal_logged(
    context: JobContext, set_options: SetOptions, host: str
) -> None:
    install()
    set_options(http_request_enabled=True, http_request_allowed_private=())
    token = current_log.set(context.output)
    try:
        with pytest.raises(PermanentFailure, match="not a public address") as caught:
            run(context, f"http://{host}:9/")
    finally:
        current_log.reset(token)
    assert caught.value.code == "address_refused"
    assert "WARNING" in printed(context, "log")


def test_an_unknown_name_may_be_known_later(context: JobContext, set_options: SetOptions) -> None:
    set_options(http_request_enabled=True)
    with pytest.raises(HttpRequestFailed) as caught:
        run(context, "http://no-such-name.invalid/")
    assert caught.value.code == "name_not_resolved"


@pytest.mark.parametrize(
    ("reason", "error"), [("cancel", TaskCancelled), ("timeout", TaskTimedOut)]
)
def test_a_request_without_an_answer_stops_with_the_job(
    context: JobContext, server: Server, reason: str, error: type[Exception]
) -> None:
    server.replies["/"] = Reply(hold=True)

    def stop() -> None:
        wait_until(lambda: server.seen)
        context.stop_requested.set(reason)

    stopping = threading.Thread(target=stop)
    stopping.start()
    began = time.monotonic()
    with pytest.raises(error):
        run(context, server.url())
    stopping.join()
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"url": "file:///etc/passwd"}, "url"),
        ({"url": "http://user:secret@a.example/"}, "url"),
        ({}, "url"),
        ({"timeout_seconds": 0}, "timeout_seconds"),
        ({"timeout_seconds": 3601}, "timeout_seconds"),
        ({"timeout_seconds": float("nan")}, "timeout_seconds"),
        ({"timeout_seconds": "5"}, "timeout_seconds"),
        ({"timeout_seconds": True}, "timeout_seconds"),
        ({"expected_status": []}, "expected_status"),
        ({"expected_status": [99]}, "expected_status"),
        ({"expected_status": "200"}, "expected_status"),
        ({"expected_status": 200}, "expected_status"),
        ({"body_contains": 1}, "body_contains"),
        ({"headers": {"X": "a\r\nb"}}, "headers.X"),
    ],
)
def test_bad_arguments_are_refused_before_there_is_a_job(
    set_options: SetOptions, given: dict[str, Any], field: str
) -> None:
    set_options(http_request_enabled=True)
    if given:
        given = {"url": "http://a.example/"} | given
    with pytest.raises(InvalidArguments) as caught:
        guard_enqueue(given, SYSTEM)
    assert caught.value.field == field


def test_where_requests_are_off_they_are_refused_at_both_ends(
    context: JobContext, set_options: SetOptions
) -> None:
    set_options(http_request_enabled=False)
    with pytest.raises(PermissionDenied, match="HTTP_REQUEST_ENABLED"):
        guard_enqueue({"url": "http://a.example/"}, SYSTEM)
    with pytest.raises(PermanentFailure, match="HTTP_REQUEST_ENABLED") as caught:
        run(context, "http://a.example/")
    assert caught.value.code == "task_disabled"
