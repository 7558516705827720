"""The route as a browser meets it: a real server, a real session, a real event."""

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import uvicorn
from django.test import Client

from accounts.models import User
from controlplane.live.stream import viewer_of
from jobs.actions.cancel import cancel_job
from tests.conftest import actor_for, signed_in
from tests.factories import make_job
from tests.waiting import wait_until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def port() -> Iterator[int]:
    """The web process of the product, in a thread, on a free port."""
    config = uvicorn.Config(
        "controlplane.asgi:application", port=0, log_level="error", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    wait_until(lambda: server.started, what="the web server")
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join(10)


@contextmanager
def open_stream(port: int, client: Client | None) -> Iterator[http.client.HTTPResponse]:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    cookies = {} if client is None else {"Cookie": f"sessionid={client.cookies['sessionid'].value}"}
    line.request("GET", "/live/", headers=cookies)
    with line.getresponse() as response:
        yield response
    line.close()


def read_until(stream: http.client.HTTPResponse, text: str) -> str:
    seen = ""
    while text not in seen:
        piece = stream.readline().decode()
        assert piece, f"the stream ended without {text!r}: {seen}"
        seen += piece
    return seen


def test_nobody_hears_anything_without_a_session(port: int) -> None:
    with open_stream(port, None) as stream:
        assert stream.status == 401


def test_what_somebody_does_reaches_an_open_page(port: int, operator: User) -> None:
    job = make_job()
    with open_stream(port, signed_in(operator)) as stream:
        assert stream.status == 200
        assert stream.headers["content-type"].startswith("text/event-stream")
        read_until(stream, "event: sync")  # told to everybody who comes
        read_until(stream, "event: sync")  # the reader has begun: from here on each event is told
        cancel_job(job_id=job.pk, actor=actor_for(operator))
        assert f"job:{job.pk}" in read_until(stream, "JOB_CANCELLED")


def test_a_session_that_ended_is_nobody(operator: User) -> None:
    client = signed_in(operator)
    cookies = f"sessionid={client.cookies['sessionid'].value}"
    assert viewer_of(cookies) is not None
    client.logout()
    assert viewer_of(cookies) is None


@pytest.mark.parametrize("cookies", ["", "sessionid=nonsense", "a=b; ;;; =", "sessionid=\x00"])
def test_other_cookies_are_nobody(cookies: str) -> None:
    assert viewer_of(cookies) is None
