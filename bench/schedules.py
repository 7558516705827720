"""The cost of schedules: `python -m bench.schedules fires|refusal|due [COUNT]`. Prints JSON."""

import importlib.util
import json
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import django
from croniter import croniter

django.setup()

from django.db.models.functions import Now  # noqa: E402 - Django must be set up first

from bench import tasks  # noqa: E402
from controlplane.actors import SYSTEM  # noqa: E402
from jobs.actions.enqueue import JobRequest, enqueue_many  # noqa: E402
from scheduling import cron  # noqa: E402
from scheduling.cron_zones import zone_named  # noqa: E402
from scheduling.errors import InvalidCron  # noqa: E402
from scheduling.lifecycle import ScheduleStatus  # noqa: E402
from scheduling.materialise import fire_due  # noqa: E402
from scheduling.models import JobSchedule  # noqa: E402

EXPRESSIONS = (
    "* * * * *", "*/5 * * * *", "0 * * * *", "30 2 * * *", "15 9 * * 1-5", "0 0 1 * *",
    "0 0 1 1 *", "0 12 * * MON", "*/10 8-18 * * *", "5,35 * * * *",
)  # fmt: skip
#: The rarest times that are accepted: the longest searches.
RARE = ("0 0 29 2 *", "0 0 0 29 2 MON", "0 0 31 12 *")
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe")
START = datetime(2026, 3, 1, tzinfo=UTC)
FIRES = 50


def fires() -> dict[str, float]:
    """Nanoseconds for one next fire: ours, plain croniter's, cronsim's where it is installed."""
    found = {"ours": _ns(_ours), "croniter": _ns(_croniter), "rare": _rarest()}
    if importlib.util.find_spec("cronsim") is not None:
        found["cronsim"] = _ns(_cronsim)
    return found


def _ns(compute: Callable[[str, str], None]) -> float:
    before = time.perf_counter()
    for expression in EXPRESSIONS:
        for zone in ZONES:
            compute(expression, zone)
    spent = time.perf_counter() - before
    return spent * 1e9 / (len(EXPRESSIONS) * len(ZONES) * FIRES)


def _ours(expression: str, zone: str) -> None:
    cron.next_fires(expression, zone, START, FIRES)


def _croniter(expression: str, zone: str) -> None:
    local = START.astimezone(zone_named(zone))
    times = croniter(expression, local)
    for _ in range(FIRES):
        times.get_next(datetime)


def _cronsim(expression: str, zone: str) -> None:
    simulated: Any = importlib.import_module("cronsim").CronSim
    times = simulated(expression, START.astimezone(zone_named(zone)))
    for _ in range(FIRES):
        next(times)


def _rarest() -> float:
    """The slowest single answer that the accepted grammar allows, nanoseconds."""
    slowest = 0.0
    for expression in RARE:
        before = time.perf_counter()
        cron.next_fire(expression, "America/New_York", datetime(2096, 3, 1, tzinfo=UTC))
        slowest = max(slowest, time.perf_counter() - before)
    return slowest * 1e9


def refusal() -> float:
    """Nanoseconds until an expression that never fires is refused."""
    before = time.perf_counter()
    try:
        cron.canonical("0 0 31 2 *")
    except InvalidCron:
        return (time.perf_counter() - before) * 1e9
    raise SystemExit("31 February was accepted")


def due(count: int) -> dict[str, float]:
    """Seconds to turn so many due schedules into jobs, and to enqueue as many jobs alone."""
    JobSchedule.objects.all().update(deleted_at=Now(), schedule_status=ScheduleStatus.UNSCHEDULED,
        cron="", next_run_at=None)  # fmt: skip
    moment = datetime.now(UTC) - timedelta(seconds=1)
    JobSchedule.objects.bulk_create(
        JobSchedule(
            name=f"{n} {moment.timestamp()}", task=tasks.noop.module_path,
            kwargs={"n": n, "s": "hello"}, queue="unserved", cron=f"{n % 60} * * * *",
            schedule_status=ScheduleStatus.ENABLED, next_run_at=moment,
        )
        for n in range(count)
    )  # fmt: skip
    before = time.perf_counter()
    while fire_due(500):
        pass
    ours = time.perf_counter() - before
    requests = [
        JobRequest(task=tasks.noop, queue="unserved", kwargs={"n": n, "s": "hello"})
        for n in range(count)
    ]
    before = time.perf_counter()
    enqueue_many(requests, actor=SYSTEM)
    return {"ours": ours, "enqueue": time.perf_counter() - before}


if __name__ == "__main__":
    actions: dict[str, Callable[..., Any]] = {"fires": fires, "refusal": refusal, "due": due}
    sys.stdout.write(json.dumps(actions[sys.argv[1]](*map(int, sys.argv[2:]))) + "\n")
