"""What a person asks of a schedule. Each address is a noun, takes POST only, and leads back."""

import json
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from accounts.authentication import actor_of
from controlplane.errors import InvalidInput
from controlplane.htmx import HtmxHttpRequest, render_page, signed_in
from scheduling import actions, queries
from scheduling.buttons import button_for
from scheduling.models import JobSchedule


@require_safe
@signed_in
def question(request: HtmxHttpRequest, schedule_id: int, verb: str) -> HttpResponse:
    """Asks before something happens: a page of its own, or the inside of a dialog."""
    return _ask(request, schedule_id, verb, request.GET.get("next", ""))


@require_POST
@signed_in
def run(request: HtmxHttpRequest, schedule_id: int) -> HttpResponse:
    """With other arguments this once, if some are given; asks again when they do not fit."""
    try:
        job = actions.run_now(
            schedule_id=schedule_id,
            actor=actor_of(request),
            reason=_reason(request),
            kwargs=_other_arguments(request),
        )
    except InvalidInput as error:
        return _ask(request, schedule_id, "run", request.POST.get("next", ""), error)
    messages.success(request, f"Job {job.id} is queued.")
    return redirect(next_place(request) or reverse("jobs:detail", args=[job.id]))


@require_POST
@signed_in
def pause(request: HtmxHttpRequest, schedule_id: int) -> HttpResponse:
    schedule = actions.pause_schedule(
        schedule_id=schedule_id, actor=actor_of(request), reason=_reason(request)
    )
    return _back(request, schedule_id, f"{schedule.name} is paused.")


@require_POST
@signed_in
def resumption(request: HtmxHttpRequest, schedule_id: int) -> HttpResponse:
    return _asked(request, schedule_id, actions.resume_schedule, "is enabled")


@require_POST
@signed_in
def restoration(request: HtmxHttpRequest, schedule_id: int) -> HttpResponse:
    return _asked(request, schedule_id, actions.restore_schedule, "is restored")


@require_POST
@signed_in
def clearance(request: HtmxHttpRequest, schedule_id: int) -> HttpResponse:
    return _asked(request, schedule_id, actions.disable_schedule, "has no times any more")


@require_POST
@signed_in
def deletion(request: HtmxHttpRequest, schedule_id: int) -> HttpResponse:
    actions.delete_schedule(schedule_id=schedule_id, actor=actor_of(request))
    messages.success(request, "The schedule is deleted.")
    place = next_place(request)
    gone = place.startswith(reverse("scheduling:detail", args=[schedule_id]))
    return redirect(reverse("scheduling:list") if gone or not place else place)


def _asked(
    request: HtmxHttpRequest,
    schedule_id: int,
    action: Callable[..., JobSchedule],
    outcome: str,
) -> HttpResponse:
    schedule = action(schedule_id=schedule_id, actor=actor_of(request))
    return _back(request, schedule_id, f"{schedule.name} {outcome}.")


def _back(request: HtmxHttpRequest, schedule_id: int, message: str) -> HttpResponse:
    messages.success(request, message)
    return redirect(next_place(request) or reverse("scheduling:detail", args=[schedule_id]))


def _ask(
    request: HtmxHttpRequest,
    schedule_id: int,
    verb: str,
    place: str,
    error: InvalidInput | None = None,
) -> HttpResponse:
    actor = actor_of(request)
    schedule = queries.visible_schedule(actor, schedule_id)
    button = button_for(verb, schedule, queries.execution_status(schedule), actor)
    context = {
        "title": f"{button.label}: {schedule.name}",
        "schedule": schedule,
        "button": button,
        "next": place,
        "error": error,
        "given": request.POST,
    }
    status = error.http_status if error else 200
    return render_page(request, "scheduling/question.html", context, partial="ask", status=status)


def _other_arguments(request: HtmxHttpRequest) -> dict[str, Any] | None:
    """What stands in for the schedule's own arguments of these names; None without any."""
    text = request.POST.get("kwargs", "").strip()
    if not text:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"kwargs is no JSON object: {error}.", field="kwargs") from None
    if not isinstance(value, dict):
        raise InvalidInput("kwargs must be a JSON object.", field="kwargs")
    return value


def _reason(request: HtmxHttpRequest) -> str:
    return request.POST.get("reason", "").strip()


def next_place(request: HtmxHttpRequest) -> str:
    """Where the form says to go on, if that is on this site."""
    place = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(place, {request.get_host()}, request.is_secure())
    return place if safe else ""
