"""Pages above all apps: health. The first page of a signed-in person is the jobs list."""

from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """200 when this process can reach its database, else 503. Open to anyone: it tells no more."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return JsonResponse({"status": "unavailable", "database": "unreachable"}, status=503)
    return JsonResponse({"status": "ok", "database": "ok"})


@require_safe
def dashboard(request: HttpRequest) -> HttpResponse:
    """Where people land; the jobs list asks them to sign in."""
    return redirect("jobs:list")
