"""Hand-written statements, one per file, where a measurement showed that the ORM's way costs too
much.

They are run only by jobs/queue.py. Table names and status names enter here, at load time, from the
models and the lifecycle, so that no statement spells one itself.
"""

from functools import cache
from pathlib import Path

from audit.recorder import MACHINE_COLUMNS
from audit.vocabulary import EventType
from jobs.lifecycle import Outcome, Status
from jobs.models import Job, JobExecution

#: Channel on which executors hear of new work; the payload is a queue's name.
JOBS_CHANNEL = "controlplane_jobs"

_NAMES = {
    "job": Job._meta.db_table,
    "execution": JobExecution._meta.db_table,
    "audit_event": MACHINE_COLUMNS,
    "jobs_channel": JOBS_CHANNEL,
    **{f"job_{status.lower()}": f"'{status}'" for status in Status},
    **{f"execution_{outcome.lower()}": f"'{outcome}'" for outcome in Outcome},
    **{event.lower() + "_event": f"'{event}'" for event in EventType},
}


@cache
def statement(name: str) -> str:
    """The text of `<name>.sql` with its names filled in. Raises KeyError for an unknown `{name}` in
    it.
    """
    raw = Path(__file__).with_name(f"{name}.sql").read_text(encoding="utf-8")
    return raw.format_map(_NAMES)
