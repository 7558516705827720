"""The page of one schedule."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from accounts.authentication import actor_of
from accounts.permissions import allows
from audit.queries import history_of
from controlplane.htmx import HtmxHttpRequest, render_page, signed_in
from jobs.models import Job
from jobs.redaction import shown_arguments
from scheduling import queries
from scheduling.buttons import buttons_for

#: Coming times on a schedule's page.
NEXT_RUNS = 5


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
        "preview": queries.next_runs(schedule, NEXT_RUNS),
        "zone": schedule.timezone,
        "firings": queries.firings_of(schedule),
        "max_firings": queries.MAX_FIRINGS,
        "args": args,
        "kwargs": kwargs,
        "buttons": buttons_for(schedule, status, actor),
        "next": request.path,
        "may_edit": allows(actor, "schedules.act", owner_id=schedule.owner_id),
        "trail": history_of("schedule", schedule.id) if allows(actor, "audit.read") else None,
    }
    return render_page(request, "scheduling/detail.html", context, partial="schedule")
