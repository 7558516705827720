"""Several connections at once: threads that start together, ears, and locks held by others."""

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import LiteralString

import psycopg
from django.db import connection, transaction

from tests.started import test_database_url
from tests.waiting import wait_until

_never_set = threading.Event()


class Ear:
    """Hears what is notified on one channel."""

    def __init__(self, ear: "psycopg.Connection[tuple[object, ...]]") -> None:
        self._ear = ear

    def heard(self) -> list[str]:
        """What was told since the last call, in order. What is committed has been told."""
        self._ear.execute("SELECT 1")
        return [told.payload for told in self._ear.notifies(timeout=0)]


@contextmanager
def listening(channel: str) -> Iterator[Ear]:
    with psycopg.connect(test_database_url(), autocommit=True) as ear:
        ear.execute(f"LISTEN {channel}")
        yield Ear(ear)


@contextmanager
def locked_elsewhere(
    table: str, *ids: int, strength: LiteralString = "NO KEY UPDATE"
) -> Iterator[None]:
    """These rows are locked by another connection's transaction while the block runs.

    "KEY SHARE" is how a foreign key holds on to the row that it points to.
    Whoever waits for one of them in the block fails after a few seconds: it would wait for ever.
    """
    with psycopg.connect(test_database_url()) as other, connection.cursor() as cursor:
        query = f"SELECT FROM {table} WHERE id = ANY(%s) ORDER BY id FOR {strength}"
        other.execute(query.encode(), [list(ids)])
        cursor.execute("SET lock_timeout = '3s'")
        try:
            yield
        finally:
            other.rollback()
            cursor.execute("RESET lock_timeout")


class Meanwhile[T]:
    """A call in a thread of its own, with a connection of its own."""

    def __init__(self, call: Callable[[], T]) -> None:
        self._call = call
        self._results: list[T] = []
        self._error: BaseException | None = None
        self.backend = 0
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        wait_until(lambda: self.backend or self.is_done, what="a connection of the thread")

    def _run(self) -> None:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_backend_pid()")
                self.backend = cursor.fetchone()[0]
            self._results.append(self._call())
        except BaseException as error:  # noqa: BLE001 - handed to whoever asks for the result
            self._error = error
        finally:
            connection.close()

    @property
    def is_done(self) -> bool:
        return not self._thread.is_alive()

    def wait_until_blocked(self) -> None:
        """Returns when it waits for a lock; fails the test if it ends without."""

        def blocked() -> bool:
            with connection.cursor() as cursor:
                cursor.execute("SELECT cardinality(pg_blocking_pids(%s)) > 0", [self.backend])
                return bool(cursor.fetchone()[0])

        wait_until(lambda: blocked() or self.is_done, what="a wait for a lock")
        assert not self.is_done, f"it ended without waiting: {self._results or self._error!r}"

    def result(self) -> T:
        """What the call returned, or raise what it raised."""
        wait_until(lambda: self.is_done, what="end of a thread")
        if self._error is not None:
            raise self._error
        return self._results[0]


class Paused[T](Meanwhile[T]):
    """A call that has done its work in a transaction which ends only when told to: as the call did,
    so an error in it undoes its work then.
    """

    def __init__(self, call: Callable[[], T]) -> None:
        self._worked = threading.Event()
        self._may_commit = threading.Event()

        def work_then_wait() -> T:
            with transaction.atomic():
                try:
                    return call()
                finally:
                    self._worked.set()
                    assert self._may_commit.wait(30), "nobody said that it may commit"

        super().__init__(work_then_wait)
        wait_until(lambda: self._worked.is_set() or self.is_done, what="work of the thread")

    def commit(self) -> T:
        self._may_commit.set()
        return self.result()


def together[T](*calls: Callable[[], T], spread: float = 0.0) -> list[T | BaseException]:
    """Run all at once, each in its thread; `spread` delays each by up to so many seconds.

    Returns results in order; an exception stands where it was raised.
    """
    barrier = threading.Barrier(len(calls))
    results: dict[int, T | BaseException] = {}

    def run(index: int) -> None:
        try:
            connection.ensure_connection()
            barrier.wait(20)
            if spread:
                _never_set.wait(random.uniform(0, spread))
            results[index] = calls[index]()
        except BaseException as error:  # noqa: BLE001 - the test looks at it
            results[index] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(i,), daemon=True) for i in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive(), "a thread did not end: a deadlock, or a wait for ever"
    return [results[index] for index in range(len(calls))]
