"""What a person asks of several schedules at once."""

from collections.abc import Collection

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from accounts.authentication import actor_of
from controlplane.errors import ControlPlaneError, InvalidInput
from controlplane.htmx import HtmxHttpRequest, signed_in
from controlplane.pagination import MAX_ID
from scheduling.actions import pause_schedules, resume_schedules
from scheduling.views.verbs import next_place

_VERBS = {"pause": (pause_schedules, "paused"), "resume": (resume_schedules, "enabled")}
#: Refusals told in full; of the others only how many there are.
TOLD = 5


@require_POST
@signed_in
def bulk(request: HtmxHttpRequest) -> HttpResponse:
    """Pause or resume the selected schedules, each by itself: one that refuses stops no other."""
    verb = request.POST.get("verb", "")
    if verb not in _VERBS:
        raise InvalidInput(f"verb must be one of {', '.join(_VERBS)}.", field="verb")
    action, outcome = _VERBS[verb]
    done = action(schedule_ids=_ids(request), actor=actor_of(request))
    count = len(done.done)
    if count:
        messages.success(request, f"{count} schedule{'s' * (count != 1)} {outcome}.")
    _tell(request, done.refused.values())
    return redirect(next_place(request) or reverse("scheduling:list"))


def _ids(request: HtmxHttpRequest) -> list[int]:
    given = request.POST.getlist("id")
    if not given:
        raise InvalidInput("No schedule is selected.", field="id")
    if not all(raw.isascii() and raw.isdigit() and len(raw) < 20 for raw in given):
        raise InvalidInput("id must be the number of a schedule.", field="id")
    return [min(int(raw), MAX_ID) for raw in given]


def _tell(request: HtmxHttpRequest, refusals: Collection[ControlPlaneError]) -> None:
    for error in list(refusals)[:TOLD]:
        messages.warning(request, error.message)
    if len(refusals) > TOLD:
        messages.warning(request, f"{len(refusals) - TOLD} more were refused.")
