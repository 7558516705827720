"""The jobs list."""

from dataclasses import dataclass

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from accounts.authentication import actor_of
from controlplane.actors import Actor
from controlplane.htmx import HtmxHttpRequest, render_page, signed_in
from controlplane.pagination import page_request
from jobs import queries, registry
from jobs.filters import JobFilter, job_filter
from jobs.lifecycle import Status


@dataclass(frozen=True, slots=True)
class Tab:
    """A state above the list; an empty value is all. `amount` is empty where none is cheap."""

    value: str
    amount: str
    is_current: bool


@require_safe
@signed_in
def job_list(request: HtmxHttpRequest) -> HttpResponse:
    """Jobs that the person may see, newest first, by state, queue and task."""
    actor = actor_of(request)
    wanted = job_filter(request.GET)
    context = {
        "title": "Jobs",
        "wanted": wanted,
        "tabs": tabs(actor, wanted),
        "page": queries.job_page(actor, wanted, page_request(request.GET)),
        "known_tasks": list(registry.known_tasks()),
    }
    return render_page(request, "jobs/list.html", context, partial="jobs")


def tabs(actor: Actor, wanted: JobFilter) -> list[Tab]:
    """One tab a state. Counts are of whole states, so a narrower list goes without."""
    counts = {} if wanted.is_narrowed else queries.status_counts(actor)
    shown = {
        status: f"{queries.COUNT_LIMIT:,}+" if count > queries.COUNT_LIMIT else str(count)
        for status, count in counts.items()
    }
    of_states = [Tab(s.value, shown.get(s, ""), s is wanted.status) for s in Status]
    return [Tab("", "", wanted.status is None), *of_states]
