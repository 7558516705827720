"""The side that enqueues, as an application does it: `python -m bench.client ACTION ...`."""

import json
import sys
import time
from pathlib import Path
from typing import Any

import django
import psycopg

django.setup()

from bench import floor, tasks  # noqa: E402 - Django must be set up first
from bench.moments import last_moment  # noqa: E402
from bench.waiting import rest, wait_for  # noqa: E402
from controlplane.actors import SYSTEM  # noqa: E402
from jobs.actions.enqueue import JobRequest, enqueue_many  # noqa: E402

#: A job that takes longer than this to begin is lost, seconds.
LOST_SECONDS = 30


def enqueue(count: int) -> float:
    """One job a call, one commit each; jobs per second."""
    task = tasks.noop.using(queue_name="unserved")
    task.enqueue(n=0, s="hello")
    before = time.perf_counter()
    for n in range(count):
        task.enqueue(n=n, s="hello")
    return count / (time.perf_counter() - before)


def bulk(count: int) -> float:
    """All in one call; jobs per second."""
    requests = [
        JobRequest(task=tasks.noop, queue="unserved", kwargs={"n": n, "s": "hello"})
        for n in range(count)
    ]
    enqueue_many(requests[:10], actor=SYSTEM)
    before = time.perf_counter()
    enqueue_many(requests, actor=SYSTEM)
    return count / (time.perf_counter() - before)


def pickup(path: str, dsn: str, floor_path: str, count: int) -> dict[str, list[float]]:
    """Milliseconds from before the enqueueing call to the task's first line; and the floor's."""
    found: dict[str, list[float]] = {"ours": [], "floor": []}
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.prepare_threshold = 0
        connection.execute(floor.ENQUEUE, ["idle", "{}", "idle"])
        tasks.tell_time.enqueue(path)
        rest(1.0)
        for _ in range(count):
            found["ours"].append(_until_told(path, lambda: tasks.tell_time.enqueue(path)))
            rest(0.07)
            found["floor"].append(
                _until_told(
                    floor_path,
                    lambda: connection.execute(floor.ENQUEUE, ["idle", "{}", "idle"]),
                )
            )
            rest(0.03)
    return found


def _until_told(path: str, enqueue_one: Any) -> float:
    size = Path(path).stat().st_size
    before = time.monotonic()
    enqueue_one()
    wait_for(
        lambda: Path(path).stat().st_size > size,
        seconds=LOST_SECONDS,
        what="a job to begin",
        every=0.0005,
    )
    return (last_moment(path) - before) * 1000


def main(action: str, *arguments: str) -> Any:
    """`enqueue COUNT`, `bulk COUNT` or `pickup FILE DSN FLOOR_FILE COUNT`."""
    if action == "pickup":
        path, dsn, floor_path, count = arguments
        return pickup(path, dsn, floor_path, int(count))
    return {"enqueue": enqueue, "bulk": bulk}[action](int(arguments[0]))


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(*sys.argv[1:])) + "\n")
