"""Running a schedule for a past range: first which times that are, then just those as jobs."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from accounts.authentication import actor_of
from accounts.permissions import require
from controlplane.errors import InvalidInput
from controlplane.htmx import HtmxHttpRequest, render_page, signed_in
from scheduling import queries
from scheduling.actions.backfill import MAX_BACKFILL, Backfill, backfill_schedule
from scheduling.form_times import instant_of
from scheduling.form_widgets import wall_input
from scheduling.models import JobSchedule
from scheduling.preview import preview_runs


class BackfillForm(forms.Form):
    """A range by the clock of the schedule's zone, both ends included."""

    since = wall_input("From", "By the clock of the schedule's zone.", required=True)
    until = wall_input("Until", "Both ends count; no later than now.", required=True)
    reason = forms.CharField(
        label="Reason", required=False, max_length=200, help_text="Kept in the audit trail."
    )


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def backfill(request: HtmxHttpRequest, schedule_id: int) -> HttpResponse:
    """The dry run always comes first; it posts the same range again to be run."""
    actor = actor_of(request)
    schedule = queries.visible_schedule(actor, schedule_id)
    require(actor, "schedules.act", owner_id=schedule.owner_id)
    form = BackfillForm(request.POST if request.method == "POST" else None)
    running = "run" in request.POST
    found = _asked(request, schedule, form, dry_run=not running) if form.is_bound else None
    if found is not None and running:
        count = len(found.firings)
        messages.success(request, f"{count} time{'s' * (count != 1)} run as jobs.")
        return redirect("scheduling:detail", schedule.id)
    context = {
        "title": f"Backfill {schedule.name}",
        "schedule": schedule,
        "form": form,
        "found": found,
        "runs": preview_runs(schedule.times, found.times) if found else [],
        "zone": schedule.timezone,
        "most": MAX_BACKFILL,
    }
    status = 400 if form.errors else 200
    return render_page(request, "scheduling/backfill.html", context, status=status)


def _asked(
    request: HtmxHttpRequest, schedule: JobSchedule, form: BackfillForm, *, dry_run: bool
) -> Backfill | None:
    """What the action says of the range; None, with errors in the form, when it is refused."""
    if not form.is_valid():
        return None
    data = form.cleaned_data
    try:
        return backfill_schedule(
            schedule_id=schedule.id,
            actor=actor_of(request),
            since=instant_of(data["since"], schedule.timezone, field="since"),
            until=instant_of(data["until"], schedule.timezone, field="until"),
            dry_run=dry_run,
            reason=data["reason"],
        )
    except InvalidInput as error:
        form.add_error(error.field if error.field in form.fields else None, error.message)
        return None
