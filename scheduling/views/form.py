"""Making and editing a schedule. All of it works by plain posts; htmx only saves round trips."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.authentication import actor_of
from accounts.permissions import require
from controlplane.errors import Conflict as ConflictError
from controlplane.errors import ControlPlaneError, InvalidInput
from controlplane.htmx import HtmxHttpRequest, render_page, signed_in
from jobs.errors import TaskNotFound
from scheduling import queries
from scheduling.actions import create_schedule, update_schedule
from scheduling.cron_builder import PRESETS, WEEKDAYS
from scheduling.cron_zones import zone_names
from scheduling.edit_conflict import Conflict, conflict_of
from scheduling.errors import StaleEdit
from scheduling.form_builder import builder_fields, built_cron
from scheduling.forms import TIMES_FIELDS, ScheduleForm
from scheduling.impact import Impact, impact_of
from scheduling.models import JobSchedule
from scheduling.preview import Preview, preview_of, zone_data
from scheduling.task_help import task_help


@dataclass(slots=True)
class Draft:
    """A form with all that is shown beside it."""

    form: ScheduleForm
    builder: dict[str, Any]
    preview: Preview | None = None
    impact: Impact | None = None
    conflict: Conflict | None = None
    http_status: int = 200


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def new(request: HtmxHttpRequest) -> HttpResponse:
    """An empty form; posted, the schedule is made."""
    require(actor_of(request), "schedules.act", owner_id=actor_of(request).id)
    return _form_page(request, None)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def edit(request: HtmxHttpRequest, schedule_id: int) -> HttpResponse:
    """The schedule's form; posted, it is changed, unless somebody else did so meanwhile."""
    actor = actor_of(request)
    schedule = queries.visible_schedule(actor, schedule_id)
    require(actor, "schedules.act", owner_id=schedule.owner_id)
    return _form_page(request, schedule)


@require_POST
@signed_in
def preview(request: HtmxHttpRequest) -> HttpResponse:
    """What the times in a form mean, as a fragment; with a preset or built ones, the field too."""
    schedule = None
    if raw := request.POST.get("schedule_id", ""):
        if not (raw.isascii() and raw.isdigit() and len(raw) < 20):
            raise InvalidInput("schedule_id must be the number of a schedule.", field="schedule_id")
        schedule = queries.visible_schedule(actor_of(request), int(raw))
    draft = _draft(request, schedule)
    context = _context(draft, schedule) | {"is_fragment": True, "is_given": _gives_cron(request)}
    return render_page(request, "scheduling/_preview.html", context)


@require_safe
@signed_in
def help_on_task(request: HtmxHttpRequest) -> HttpResponse:
    """What a task takes, as a fragment."""
    context = {"task_help": task_help(request.GET.get("task", ""))}
    return render_page(request, "scheduling/_task_help.html", context)


def _form_page(request: HtmxHttpRequest, schedule: JobSchedule | None) -> HttpResponse:
    draft = _draft(request, schedule)
    if request.method == "POST" and "save" in request.POST:
        saved = _saved(request, draft, schedule)
        if saved is not None:
            return redirect("scheduling:detail", saved.id)
    context = _context(draft, schedule)
    return render_page(request, "scheduling/form.html", context, status=draft.http_status)


def _draft(request: HtmxHttpRequest, schedule: JobSchedule | None) -> Draft:
    """The form as it was sent, with a preset or built times put in if that was asked for."""
    actor = actor_of(request)
    if request.method != "POST":
        form = ScheduleForm(actor=actor, schedule=schedule)
        draft = Draft(form, builder_fields(form["cron"].initial or ""))
        if schedule is None or schedule.times:
            _show_times(draft, schedule, request)
        return draft
    data = request.POST.copy()
    problem = _give_cron(data)
    draft = Draft(ScheduleForm(data, actor=actor, schedule=schedule), builder_fields("", data))
    draft.form.is_valid()
    if problem is not None:
        draft.form.add_error("cron", problem.message)
    _show_times(draft, schedule, request)
    return draft


def _gives_cron(request: HtmxHttpRequest) -> bool:
    return "preset" in request.POST or "build" in request.POST


def _give_cron(data: QueryDict) -> InvalidInput | None:
    """Put the preset or the built expression into the cron field; what is wrong with it, if so."""
    try:
        if "preset" in data:
            data["cron"], data["kind"] = str(data["preset"]), "cron"
        elif "build" in data:
            data["cron"], data["kind"] = built_cron(data), "cron"
    except InvalidInput as error:
        return error
    return None


def _show_times(draft: Draft, schedule: JobSchedule | None, request: HtmxHttpRequest) -> None:
    """Fill in preview and impact, as far as the times are understood."""
    form = draft.form
    times = form.times if form.is_bound else (schedule.times if schedule else None)
    if not form.is_bound and schedule is None:
        times = JobSchedule(cron=form["cron"].initial).times
    if not times:
        return
    now = timezone.now()
    try:
        draft.preview = preview_of(times, now)
        if schedule is not None and schedule.times and times != schedule.times:
            draft.impact = impact_of(
                schedule.times, times, now, actor=actor_of(request), schedule_id=schedule.id
            )
    except ControlPlaneError:
        return  # a corrupt row: its form opens all the same, so that it can be mended


def _saved(
    request: HtmxHttpRequest, draft: Draft, schedule: JobSchedule | None
) -> JobSchedule | None:
    """The stored schedule; None when the person has something to correct or to look at first."""
    form = draft.form
    if not form.is_valid():
        draft.http_status = 400
        return None
    if draft.impact is not None and form.cleaned_data["impact_seen"] != form.fingerprint:
        messages.warning(request, "Nothing is saved yet. Look at what the new times change.")
        return None
    try:
        return _stored(request, form, schedule)
    except StaleEdit as error:
        draft.http_status = error.http_status
        _overtaken(request, draft)
    except (InvalidInput, ConflictError, TaskNotFound) as error:
        form.add_domain_error(error)
        draft.http_status = error.http_status
    return None


def _stored(
    request: HtmxHttpRequest, form: ScheduleForm, schedule: JobSchedule | None
) -> JobSchedule:
    actor, enabled = actor_of(request), form.cleaned_data["enabled"]
    if schedule is None:
        made = create_schedule(actor=actor, enabled=enabled, **form.values)
        messages.success(request, f"{made.name} is made.")
        return made
    updated = update_schedule(
        schedule_id=schedule.id,
        actor=actor,
        expected_version=form.cleaned_data["version"],
        enabled=enabled,
        **form.values,
    )
    messages.success(request, f"{updated.name} is saved.")
    return updated


def _overtaken(request: HtmxHttpRequest, draft: Draft) -> None:
    """Show what others changed, with the person's own changes kept on top of it."""
    sent, actor = draft.form, actor_of(request)
    fresh = queries.visible_schedule(actor, sent.schedule.id if sent.schedule else 0)
    current = ScheduleForm(actor=actor, schedule=fresh).initial
    submitted = {name: sent.data.get(name) for name in sent.fields}
    draft.conflict = conflict_of(sent.data.get("base", ""), current, submitted)
    draft.form = ScheduleForm(draft.conflict.merged, actor=actor, schedule=fresh)


def _context(draft: Draft, schedule: JobSchedule | None) -> dict[str, Any]:
    form = draft.form
    return {
        "title": f"Edit {schedule.name}" if schedule else "New schedule",
        "form": form,
        "schedule": schedule,
        "builder": draft.builder,
        "preview": draft.preview,
        "impact": draft.impact,
        "impact_seen": form.fingerprint if draft.impact else "",
        "conflict": draft.conflict,
        "times_errors": [form.errors[name] for name in TIMES_FIELDS if name in form.errors],
        "zone": form["timezone"].value(),
        "zones": sorted(zone_names()),
        "zone_data": zone_data(),
        "presets": PRESETS,
        "weekdays": list(enumerate(WEEKDAYS)),
        "task_help": task_help(form["task"].value() or ""),
    }
