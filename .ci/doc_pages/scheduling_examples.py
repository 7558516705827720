"""The examples of docs/scheduling.md: what the code really answers, as tables in Markdown."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from controlplane.errors import ControlPlaneError
from doc_pages.source import code, head, row
from scheduling import cron, times
from scheduling.celerybeat_entries import cron_of
from scheduling.cron_calendar import parse
from scheduling.cron_zones import wall_of, zone_named
from scheduling.crontab_text import read_crontab
from scheduling.due_times import Fate, MissedRule, due_times
from scheduling.times import Times

#: The examples' present: far enough from any change of the clock.
NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)

ACCEPTED = (
    "*/15 * * * *",
    "0 3 * * *",
    "0 8 * * MON-FRI",
    "0 0 13 * FRI",
    "0 0 0 13 * FRI",
    "0 0 31,L * *",
    "0 9 15W * *",
    "0 9 * * 5#2",
    "0 9 * * 5L",
    "*/10 * * * * *",
    "  @Daily ",
)
REFUSED = (
    "61 * * * *",
    "0 0 31 2 *",
    "0 0 31 4,6,9,11 *",
    "0 3 * *",
    "0 0 3 * * * 2027",
    "0 3 * * FUN",
    "H 3 * * *",
    "@reboot",
)
#: Expression, zone, the day before the change, how many fires to show.
CHANGES = (
    ("30 2 * * *", "America/New_York", datetime(2027, 3, 13, 5, tzinfo=UTC), 3),
    ("0,30 2 * * *", "America/New_York", datetime(2027, 3, 14, 5, tzinfo=UTC), 3),
    ("*/30 2 * * *", "America/New_York", datetime(2027, 3, 14, 5, tzinfo=UTC), 2),
    ("30 1 * * *", "America/New_York", datetime(2027, 11, 7, 4, tzinfo=UTC), 2),
    ("*/30 1 * * *", "America/New_York", datetime(2027, 11, 7, 4, tzinfo=UTC), 5),
    ("45 1 * * *", "Australia/Lord_Howe", datetime(2027, 4, 3, 12, tzinfo=UTC), 2),
)
EXPLAINED = (
    ("30 2 * * *", "America/New_York"),
    ("*/20 2 * * *", "Europe/Berlin"),
    ("45 1 * * *", "Australia/Lord_Howe"),
)
CRONTAB = """\
# Keep a copy of the shop
15 2 * * * pg_dump shop > shop.sql
CRON_TZ=Asia/Tokyo
0 9 * * 1-5 mail -s hello staff%Good morning
@reboot start-something
"""
BEAT = (
    {"minute": "*/15"},
    {"minute": "0", "hour": "3", "day_of_week": "mon-fri"},
    {"minute": "0", "hour": "3", "day_of_month": "1-7", "day_of_week": "1"},
)
#: What becomes of a time, in words.
FATES = {
    Fate.RUN: "a job",
    Fate.MAKE_UP: "a job, late",
    Fate.QUEUE_UP: "a job, after those before it",
    Fate.COALESCE: "no job: another stands for it",
    Fate.MISS: "missed: no job",
}


def accepted() -> list[str]:
    lines = head("Written", "Stored as", "Meaning", "Next times (UTC)")
    for text in ACCEPTED:
        stored = cron.canonical(text)
        following = ", ".join(map(_utc, cron.next_fires(stored, "UTC", NOW, 2)))
        lines.append(row(code(text), code(stored), cron.describe(stored), following))
    return lines


def refused() -> list[str]:
    return head("Written", "Answer") + [row(code(text), _answer(text)) for text in REFUSED]


def at_changes() -> list[str]:
    lines = head("Cron", "Zone", "Kind", "Fires, by the zone's clock")
    for text, zone, after, count in CHANGES:
        kind = "fixed" if parse(text).fixed else "elapsed"
        shown = ", ".join(_wall(time, zone) for time in cron.next_fires(text, zone, after, count))
        lines.append(row(code(text), zone, kind, shown))
    return lines


def explained() -> list[str]:
    lines = head("Cron", "Zone", "What 2027 brings")
    for text, zone in EXPLAINED:
        effects = " ".join(change.effect for change in cron.explain_transitions(text, zone, 2027))
        lines.append(row(code(text), zone, effects))
    return lines


def intervals() -> list[str]:
    """The same week in Brussels, counted in hours and in days."""
    anchor = datetime(2027, 3, 24, 15, 0, tzinfo=UTC)
    zone = "Europe/Brussels"
    week = Times(anchor_at=anchor, timezone=zone)
    lines = head("Interval", "Meaning", "Fires, by the zone's clock")
    for text, chosen in (
        ("interval_seconds: 604800", replace(week, interval_seconds=604_800)),
        ("interval_days: 7", replace(week, interval_days=7)),
    ):
        found = times.fires(chosen, anchor - timedelta(seconds=1))
        shown = ", ".join(_wall(next(found), zone) for _ in range(3))
        lines.append(row(code(text), times.describe(chosen), shown))
    return lines


def missed() -> list[str]:
    """A schedule at every quarter of an hour, whose scheduler was away for an hour and a half."""
    quarters = Times(cron="*/15 * * * *")
    lines = head("Policy", "Time (UTC)", "Becomes", "The history says")
    rules = {
        "run_once": MissedRule("run_once"),
        "run_all, at most 3": MissedRule("run_all", limit=3),
        "skip": MissedRule("skip"),
    }
    for name, rule in rules.items():
        now = NOW + timedelta(seconds=20)
        for slot in due_times(quarters, NOW - timedelta(minutes=90), now, rule).slots:
            told = slot.reason or "on time"
            lines.append(row(name, f"{slot.nominal_time:%H:%M}", FATES[slot.fate], told))
    return lines


def crontab() -> list[str]:
    lines = head("Line", "Times", "Zone", "Command", "Remarks")
    for entry in read_crontab(CRONTAB, system=False).entries:
        typed = f"standard input: {entry.stdin!r}" if entry.stdin else ""
        said = "; ".join(filter(None, (entry.description, typed, entry.problem)))
        zone = entry.zone or "the machine's"
        cells = (str(entry.line_number), code(entry.cron), zone, code(entry.command), said)
        lines.append(row(*cells))
    return lines


def beat() -> list[str]:
    lines = head("Columns in Celery Beat", "Becomes", "Meaning")
    for columns in BEAT:
        text = cron_of(columns)
        lines.append(row(code(columns), code(text), cron.describe(cron.canonical(text))))
    return lines


def choices(found: Iterable[tuple[str, str]]) -> list[str]:
    """The values of an enumeration and what they mean."""
    return [f"- `{value}`: {label.partition(': ')[2]}" for value, label in found]


def _answer(text: str) -> str:
    try:
        stored = cron.canonical(text)
    except ControlPlaneError as error:
        return error.message
    raise AssertionError(f"{stored} was to be refused, and is accepted.")


def _utc(moment: datetime) -> str:
    return f"{moment:%a %Y-%m-%d %H:%M:%S}"


def _wall(moment: datetime, zone: str) -> str:
    place = zone_named(zone)
    return f"{wall_of(moment, place):%a %m-%d %H:%M} {moment.astimezone(place):%Z}"
