"""What a schedule has done: its runs, and every time of its clock with what became of it."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from accounts.authentication import actor_of
from controlplane import conf
from controlplane.htmx import HtmxHttpRequest, render_page, signed_in
from controlplane.keyset import cursor_of
from controlplane.pagination import page_request
from jobs.lifecycle import Outcome
from scheduling import queries
from scheduling.orders import RUNS, order_of
from scheduling.run_filters import run_filter
from scheduling.run_history import run_page, with_firings


@require_safe
@signed_in
def history(request: HtmxHttpRequest, schedule_id: int) -> HttpResponse:
    """The runs of one schedule by four bounds, each by itself, sorted and paged by the server."""
    schedule = queries.visible_schedule(actor_of(request), schedule_id)
    wanted = run_filter(request.GET)
    order = order_of(request.GET, RUNS, "-run")
    size = page_request({"page_size": request.GET.get("page_size", "")}).size
    page = run_page(schedule, wanted, order, cursor_of(request.GET, order), size)
    context = {
        "title": f"History of {schedule.name}",
        "schedule": schedule,
        "wanted": wanted,
        "order": order,
        "page": page,
        "runs": with_firings(page.items),
        "outcomes": Outcome,
        "date_format": conf.options().date_format,
    }
    return render_page(request, "scheduling/history.html", context, partial="runs")
