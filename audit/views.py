"""The audit trail as a page."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from accounts.authentication import actor_of
from accounts.permissions import require
from audit import queries
from audit.filters import AuditFilter
from audit.models import AuditEvent
from controlplane.htmx import HtmxHttpRequest, render_page, signed_in
from controlplane.pagination import page_request, paginate


@require_safe
@signed_in
def event_list(request: HtmxHttpRequest) -> HttpResponse:
    """Who did what, newest first; for those who may read everything. Wrong filters find nothing."""
    require(actor_of(request), "audit.read")
    wanted = AuditFilter(request.GET)
    rows = queries.history(wanted.criteria()) if wanted.is_valid() else AuditEvent.objects.none()
    page = paginate(rows, page_request(request.GET), fill=True)
    context = {"title": "Audit", "filter": wanted, "page": page}
    response = render_page(request, "audit/list.html", context, partial="events")
    if not wanted.is_valid():
        response.status_code = 400
    return response
