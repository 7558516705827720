"""How fast executors empty a full queue of jobs that do nothing, beside the floor's workers.

From the first claim to the moment when the database holds no unfinished job; execution and audit
rows are written, and counted afterwards.
"""

from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any, NamedTuple

from bench import floor
from bench.figures import Figure
from bench.programs import Program
from bench.setting import Setting
from bench.waiting import rest, wait_for

#: A round that takes longer is broken, seconds.
ROUND_SECONDS = 300
#: How often the database is asked whether all is done, seconds.
LOOK_SECONDS = 0.02

FILL = """
WITH new AS (
    INSERT INTO {job} (task, queue, status, args, kwargs, queued_at)
    SELECT %(task)s, 'default', 'PENDING', %(args)s::jsonb, %(kwargs)s::jsonb, now()
    FROM generate_series(1, %(count)s) AS n
    RETURNING id, task
)
INSERT INTO {audit} (event_type, target_type, target_id, target_label)
SELECT 'JOB_CREATED', 'job', id, task FROM new ORDER BY id
"""
LAST = """
SELECT (SELECT coalesce(max(id), 0) FROM {job}), (SELECT coalesce(max(id), 0) FROM {audit})
"""
#: Whether as many audit events were numbered as the round must leave: costs nothing to ask, while
#: any look at the jobs themselves would walk over all that have ended since the last vacuum.
NUMBERED = """
SELECT pg_sequence_last_value(pg_get_serial_sequence('{audit}', 'id')::regclass)
    >= %(last_event)s + 3 * %(count)s
"""
DONE = """
SELECT NOT EXISTS (SELECT FROM {job} WHERE status = 'PENDING' AND queue = 'default')
    AND NOT EXISTS (SELECT FROM {execution} WHERE status = 'RUNNING'),
    extract(epoch FROM clock_timestamp())::float8
"""
OUTCOME = """
SELECT (SELECT count(*) FROM {job} WHERE id > %(last_job)s AND status = 'SUCCEEDED'),
    (SELECT count(*) FROM {execution} WHERE job_id > %(last_job)s AND status = 'SUCCEEDED'),
    (SELECT count(*) FROM {audit} WHERE id > %(last_event)s AND target_type = 'job'
        AND target_id > %(last_job)s),
    (SELECT extract(epoch FROM min(claimed_at))::float8 FROM {execution}
        WHERE job_id > %(last_job)s)
"""

OURS = {"job": "jobs_job", "execution": "jobs_jobexecution", "audit": "audit_auditevent"}
FLOOR = {name: floor.TABLES[table] for name, table in OURS.items()}


class Work(NamedTuple):
    """What the jobs of a round do; arguments as JSON text."""

    task: str
    args: str
    kwargs: str


NOTHING = Work("bench.tasks.noop", "[]", '{"n": 1, "s": "hello"}')


def one_process(setting: Setting) -> list[Figure]:
    return [_drain(setting, 1)]


def two_processes(setting: Setting) -> list[Figure]:
    return [_drain(setting, 2)]


def _drain(setting: Setting, processes: int) -> Figure:
    count = setting.size(100_000, 20_000)
    ours: list[float] = []
    reference: list[float] = []
    for _ in range(setting.rounds):
        reference.append(floor_round(setting, count, processes))
        ours.append(executor_round(setting, count, processes))
    return Figure(
        what=f"drain, {processes} process{'es' * (processes > 1)}",
        unit="jobs/s",
        samples=ours,
        reference_is=f"psycopg alone, {processes} at batch {floor.BATCH}, the same rows written",
        reference=reference,
    )


def executor_round(
    setting: Setting, count: int, processes: int, *options: str, work: Work = NOTHING
) -> float:
    """Jobs per second of so many executors on a queue filled while it is paused."""
    _pause(setting)
    marks = _fill(setting, OURS, count, work)
    with ExitStack() as stack:
        programs = [stack.enter_context(setting.executor(*options)) for _ in range(processes)]
        wait_until_ready(setting, programs)
        _resume(setting)
        finish = _wait_until_done(setting, OURS, marks, programs)
    return _rate(setting, OURS, marks, finish)


def floor_round(setting: Setting, count: int, processes: int) -> float:
    """Jobs per second of so many of the floor's workers."""
    marks = _fill(setting, FLOOR, count, NOTHING)
    setting.connection.execute("SELECT pg_advisory_lock(%s)", [floor.GATE])
    with ExitStack() as stack:
        programs = [
            stack.enter_context(setting.start("bench.floor", "work", setting.dsn))
            for _ in range(processes)
        ]
        for program in programs:
            if program.output.readline() != "ready\n":
                raise RuntimeError(f"{program.name} did not start; see {program.log}.")
        rest(0.2)
        setting.connection.execute("SELECT pg_advisory_unlock(%s)", [floor.GATE])
        finish = _wait_until_done(setting, FLOOR, marks, [])
    return _rate(setting, FLOOR, marks, finish)


def _fill(setting: Setting, tables: dict[str, str], count: int, work: Work) -> dict[str, int]:
    """Make jobs that wait; return how many, and the ids after which this round's rows begin."""
    last_job, last_event = _one(setting, LAST.format(**tables), {})
    setting.connection.execute(FILL.format(**tables), {**work._asdict(), "count": count})
    for table in tables.values():
        setting.connection.execute(f"VACUUM (ANALYZE) {table}")
    setting.connection.execute("CHECKPOINT")
    return {"last_job": last_job, "last_event": last_event, "count": count}


def _pause(setting: Setting) -> None:
    setting.connection.execute(
        "INSERT INTO jobs_queue (name, paused_at) VALUES ('default', now()) "
        "ON CONFLICT (name) DO UPDATE SET paused_at = now()"
    )


def _resume(setting: Setting) -> None:
    with setting.connection.transaction():
        setting.connection.execute("UPDATE jobs_queue SET paused_at = NULL WHERE name = 'default'")
        setting.connection.execute("SELECT pg_notify('controlplane_jobs', 'default')")


def wait_until_ready(setting: Setting, programs: list[Program]) -> None:
    """Return when so many executors have reported themselves and had a moment to settle."""

    def all_there() -> bool:
        for program in programs:
            program.check()
        pids = [program.pid for program in programs]
        query = "SELECT count(*) FROM jobs_worker WHERE pid = ANY(%(pids)s) AND stopped_at IS NULL"
        return bool(_one(setting, query, {"pids": pids})[0] == len(programs))

    wait_for(all_there, seconds=60, what="the executors", every=0.05)
    rest(1.5)


def _wait_until_done(
    setting: Setting, tables: dict[str, str], marks: dict[str, int], programs: list[Program]
) -> float:
    """Wait until no unfinished job is left; return the database's time of that moment."""
    numbered, query = NUMBERED.format(**tables), DONE.format(**tables)
    finish = 0.0

    def done() -> bool:
        nonlocal finish
        for program in programs:
            program.check()
        if not _one(setting, numbered, marks)[0]:
            return False
        is_done, finish = _one(setting, query, {})
        return bool(is_done)

    wait_for(done, seconds=ROUND_SECONDS, what="the end of the queue", every=LOOK_SECONDS)
    return finish


def _rate(setting: Setting, tables: dict[str, str], marks: dict[str, int], finish: float) -> float:
    """Jobs per second. Raises RuntimeError when rows are missing: the figure is worth nothing."""
    count = marks["count"]
    *found, first_claim = _one(setting, OUTCOME.format(**tables), marks)
    if found != [count, count, 3 * count]:
        raise RuntimeError(f"{count} jobs left {found} successes, executions and audit events.")
    return count / (finish - float(first_claim))


def _one(setting: Setting, query: str, parameters: Mapping[str, Any]) -> tuple[Any, ...]:
    row = setting.connection.execute(query, parameters).fetchone()
    assert row is not None
    return row
