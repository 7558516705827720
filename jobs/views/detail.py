"""The page of one job."""

from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from accounts.authentication import actor_of
from accounts.permissions import allows
from audit.queries import history_of
from controlplane.errors import InvalidInput
from controlplane.htmx import HtmxHttpRequest, render_page, signed_in
from jobs import queries
from jobs.blockers import blockers_shown_to
from jobs.lifecycle import ENDED, Status
from jobs.log_tail import MAX_LINES, log_tail
from jobs.models import Job
from jobs.redaction import redacted, sensitive_names, shown_arguments
from jobs.views.buttons import buttons_for

#: Seconds between two looks of the page at a running job's log.
RUNNING_SECONDS = 2


@require_safe
@signed_in
def job_detail(request: HtmxHttpRequest, job_id: int) -> HttpResponse:
    """Everything about one job; htmx asks for its region again until the job has ended."""
    actor = actor_of(request)
    job = queries.visible_job(actor, job_id)
    args, kwargs = shown_arguments(job)
    trail = history_of("job", job.id) if allows(actor, "audit.read") else None
    context = {
        "title": f"{job.task_name} {job.id}",
        "job": job,
        "buttons": buttons_for(job, actor),
        "refresh_seconds": refresh_seconds(job),
        "args": args,
        "kwargs": kwargs,
        "trail": trail,
        "blockers": blockers_shown_to(actor, job) if is_waiting(job) else None,
        **_execution_context(job, _number(request.GET.get("execution", ""))),
    }
    return render_page(request, "jobs/detail.html", context, partial="job")


def refresh_seconds(job: Job) -> int | None:
    """How often the page asks by itself: while the job runs, as logs and progress are no events."""
    return RUNNING_SECONDS if job.status == Status.RUNNING else None


def is_waiting(job: Job) -> bool:
    """Neither running nor ended: somebody may wonder why."""
    return job.status != Status.RUNNING and job.status not in ENDED


def _execution_context(job: Job, number: int | None) -> dict[str, Any]:
    chosen = queries.execution_of(job, number)
    return {
        "executions": queries.executions_of(job),
        "max_executions": queries.MAX_EXECUTIONS,
        "chosen": chosen,
        "is_chosen_by_hand": number is not None,
        "result": redacted(chosen.result, sensitive_names(job.task)) if chosen else None,
        "log": log_tail(chosen.id) if chosen else None,
        "max_log_lines": MAX_LINES,
    }


def _number(raw: str) -> int | None:
    if not raw:
        return None
    if not (raw.isascii() and raw.isdigit() and len(raw) < 10 and int(raw) > 0):
        raise InvalidInput("execution must be a whole number from 1 on.", field="execution")
    return int(raw)
