"""The schedules' pages: the list, one schedule, and what a person asks of it (nouns, POST only)."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from accounts.authentication import actor_of
from accounts.permissions import allows
from audit.queries import history_of
from controlplane.htmx import HtmxHttpRequest, render_page, signed_in
from controlplane.pagination import page_request
from jobs.models import Job
from jobs.redaction import shown_arguments
from scheduling import actions, queries
from scheduling.buttons import buttons_for, row_buttons
from scheduling.filters import schedule_filter
from scheduling.lifecycle import ExecutionStatus, ScheduleStatus
from scheduling.models import JobSchedule

#: Coming times on a schedule's page.
NEXT_RUNS = 5


@require_safe
@signed_in
def schedule_list(request: HtmxHttpRequest) -> HttpResponse:
    actor = actor_of(request)
    wanted = schedule_filter(request.GET)
    page = queries.schedule_page(actor, wanted, page_request(request.GET))
    rows = [(row, row_buttons(row.schedule, row.execution_status, actor)) for row in page.items]
    context = {
        "title": "Schedules",
        "wanted": wanted,
        "page": page,
        "rows": rows,
        "schedule_statuses": ScheduleStatus,
        "execution_statuses": ExecutionStatus,
    }
    return render_page(request, "scheduling/list.html", context, partial="schedules")


@require_safe
@signed_in
def schedule_detail(request: HtmxHttpRequest, schedule_id: int) -> HttpResponse:
    actor = actor_of(request)
    schedule = queries.visible_schedule(actor, schedule_id)
    status = queries.execution_status(schedule)
    args, kwargs = shown_arguments(
        Job(task=schedule.task, args=schedule.args, kwargs=schedule.kwargs)
    )
    context = {
        "title": schedule.name,
        "schedule": schedule,
        "execution_status": status,
        "words": queries.in_words(schedule),
        "next_runs": queries.next_runs(schedule, NEXT_RUNS),
        "firings": queries.firings_of(schedule),
        "max_firings": queries.MAX_FIRINGS,
        "args": args,
        "kwargs": kwargs,
        "buttons": buttons_for(schedule, status, actor),
        "trail": history_of("schedule", schedule.id) if allows(actor, "audit.read") else None,
    }
    return render_page(request, "scheduling/detail.html", context, partial="schedule")


@require_POST
@signed_in
def run(request: HtmxHttpRequest, schedule_id: int) -> HttpResponse:
    reason = request.POST.get("reason", "").strip()
    job = actions.run_now(schedule_id=schedule_id, actor=actor_of(request), reason=reason)
    messages.success(request, f"Job {job.id} is queued.")
    return redirect("jobs:detail", job.id)


@require_POST
@signed_in
def pause(request: HtmxHttpRequest, schedule_id: int) -> HttpResponse:
    reason = request.POST.get("reason", "").strip()
    actions.pause_schedule(schedule_id=schedule_id, actor=actor_of(request), reason=reason)
    return _back(request, schedule_id, "The schedule is paused.")


@require_POST
@signed_in
def resumption(request: HtmxHttpRequest, schedule_id: int) -> HttpResponse:
    return _asked(request, schedule_id, actions.resume_schedule, "The schedule is enabled.")


@require_POST
@signed_in
def restoration(request: HtmxHttpRequest, schedule_id: int) -> HttpResponse:
    return _asked(request, schedule_id, actions.restore_schedule, "The schedule is restored.")


@require_POST
@signed_in
def clearance(request: HtmxHttpRequest, schedule_id: int) -> HttpResponse:
    return _asked(request, schedule_id, actions.disable_schedule, "Its times are cleared.")


@require_POST
@signed_in
def deletion(request: HtmxHttpRequest, schedule_id: int) -> HttpResponse:
    actions.delete_schedule(schedule_id=schedule_id, actor=actor_of(request))
    messages.success(request, "The schedule is deleted.")
    return redirect("scheduling:list")


def _asked(
    request: HtmxHttpRequest,
    schedule_id: int,
    action: Callable[..., JobSchedule],
    message: str,
) -> HttpResponse:
    action(schedule_id=schedule_id, actor=actor_of(request))
    return _back(request, schedule_id, message)


def _back(request: HtmxHttpRequest, schedule_id: int, message: str) -> HttpResponse:
    messages.success(request, message)
    return redirect("scheduling:detail", schedule_id)
