"""The next 24 hours as a page."""

from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.authentication import actor_of
from controlplane.htmx import HtmxHttpRequest, render_page, signed_in
from scheduling.timeline import timeline


@require_safe
@signed_in
def next_day(request: HtmxHttpRequest) -> HttpResponse:
    """When the enabled schedules run, drawn and listed."""
    context = {
        "title": "Next 24 hours",
        "timeline": timeline(actor_of(request), timezone.now()),
    }
    return render_page(request, "scheduling/timeline.html", context)
