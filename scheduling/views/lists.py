"""The list of schedules."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from accounts.authentication import actor_of
from accounts.permissions import allows
from controlplane.htmx import HtmxHttpRequest, render_page, signed_in
from controlplane.keyset import cursor_of
from controlplane.pagination import page_request
from scheduling import queries
from scheduling.buttons import row_actions
from scheduling.filters import schedule_filter
from scheduling.lifecycle import ExecutionStatus, ScheduleStatus
from scheduling.orders import SCHEDULES, order_of


@require_safe
@signed_in
def schedule_list(request: HtmxHttpRequest) -> HttpResponse:
    """Schedules that the person may see, by both statuses and by words, in any order."""
    actor = actor_of(request)
    wanted = schedule_filter(request.GET)
    order = order_of(request.GET, SCHEDULES, "name")
    size = page_request({"page_size": request.GET.get("page_size", "")}).size
    page = queries.sorted_schedules(actor, wanted, order, cursor_of(request.GET, order), size)
    listed = queries.listed(page.items)
    context = {
        "title": "Schedules",
        "wanted": wanted,
        "order": order,
        "page": page,
        "rows": [(row, row_actions(row.schedule, row.execution_status, actor)) for row in listed],
        "may_act": allows(actor, "schedules.act"),
        "schedule_statuses": ScheduleStatus,
        "execution_statuses": ExecutionStatus,
    }
    return render_page(request, "scheduling/list.html", context, partial="schedules")
