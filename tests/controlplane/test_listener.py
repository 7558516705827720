"""The listener hears what is notified, and says when it may have missed something."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from controlplane import listener as listener_module
from controlplane.listener import Listener
from tests.started import test_database_url
from tests.waiting import stays, wait_until

pytestmark = pytest.mark.django_db


class Ears:
    """Keeps what a listener hears."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []

    def __call__(self, channel: str, payload: str) -> None:
        self.heard.append((channel, payload))

    def wait_for(self, *notes: tuple[str, str]) -> None:
        wait_until(
            lambda: self.heard == list(notes), what=str(notes), explain=lambda: str(self.heard)
        )


@pytest.fixture
def ears() -> Ears:
    return Ears()


@pytest.fixture
def listener(ears: Ears, monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    monkeypatch.setattr(listener_module, "WAIT_SECONDS", 0.02)
    monkeypatch.setattr(listener_module, "RECONNECT_DELAYS", (0.01,))
    started = Listener(("first channel", "second"), ears)
    started.start()
    ears.wait_for(("", ""))
    yield started
    started.stop()
    started.join(5)


@pytest.fixture
def tell() -> Iterator[Callable[..., object]]:
    with psycopg.connect(test_database_url(), autocommit=True) as link:
        yield lambda channel, payload: link.execute("SELECT pg_notify(%s, %s)", [channel, payload])


def end_connection() -> None:
    """As a restart of the server or a pooler does."""
    with psycopg.connect(test_database_url(), autocommit=True) as link:
        ended = link.execute(
            """
            SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE application_name = 'controlplane listener' AND datname = current_database()
            """
        ).fetchone()
    assert ended == (1,)


def test_it_hears_its_channels_and_no_other(
    listener: Listener, ears: Ears, tell: Callable[..., object]
) -> None:
    tell("third", "nobody's")
    tell("first channel", "one")
    tell("second", "two")
    ears.wait_for(("", ""), ("first channel", "one"), ("second", "two"))


def test_after_a_lost_connection_it_listens_again_and_says_so(
    listener: Listener, ears: Ears, tell: Callable[..., object]
) -> None:
    end_connection()
    ears.wait_for(("", ""), ("", ""))
    tell("second", "again")
    ears.wait_for(("", ""), ("", ""), ("second", "again"))


def test_it_tries_until_the_database_is_there(ears: Ears, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener_module, "RECONNECT_DELAYS", (0.001,))
    refused: list[int] = []
    connect = Listener._connect

    def refuse_twice(self: Listener) -> Any:
        if len(refused) < 2:
            refused.append(1)
            raise psycopg.OperationalError("refused")
        return connect(self)

    monkeypatch.setattr(Listener, "_connect", refuse_twice)
    listener = Listener(("first",), ears)
    listener.start()
    ears.wait_for(("", ""))
    assert len(refused) == 2
    listener.stop()
    listener.join(5)


def test_it_ends_soon_after_it_is_told_to(listener: Listener) -> None:
    listener.stop()
    listener.join(5)
    assert not listener.is_alive()


def test_a_stop_ends_the_wait_between_two_tries(
    ears: Ears, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener_module, "RECONNECT_DELAYS", (60.0,))
    tried = threading.Event()

    def refuse(self: Listener) -> Any:
        tried.set()
        raise psycopg.OperationalError("refused")

    monkeypatch.setattr(Listener, "_connect", refuse)
    listener = Listener(("first",), ears)
    listener.start()
    assert tried.wait(5)
    listener.stop()
    listener.join(5)
    assert not listener.is_alive()


def test_nothing_is_heard_twice(
    listener: Listener, ears: Ears, tell: Callable[..., object]
) -> None:
    tell("second", "once")
    ears.wait_for(("", ""), ("second", "once"))
    stays(lambda: len(ears.heard) == 2, seconds=0.1)
