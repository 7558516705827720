"""How our pages speak with htmx: a typed request, page or partial from one view, and signed-in views."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Concatenate

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render, resolve_url
from django.utils.cache import add_never_cache_headers, patch_vary_headers
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails


class HtmxHttpRequest(HttpRequest):
    """A request that has passed HtmxMiddleware."""

    htmx: HtmxDetails


type View[**P] = Callable[Concatenate[HtmxHttpRequest, P], HttpResponseBase]
type DjangoView[**P] = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def render_page(
    request: HtmxHttpRequest, template: str, context: Mapping[str, Any], *, partial: str = ""
) -> HttpResponse:
    """The whole page, or its partial of that name when htmx asks for the element with the same id."""
    wanted = bool(partial) and request.htmx.target == partial and not request.htmx.boosted
    name = f"{template}#{partial}" if wanted else template
    response = render(request, name, dict(context))
    patch_vary_headers(response, ("HX-Request", "HX-Target"))
    return response


def signed_in[**P](view: View[P]) -> DjangoView[P]:
    """Only for people who are signed in; others are sent to the login and back. Nothing is cached.

    A fragment asked for after the session ended sends the whole window to the login instead of
    showing the login inside of a region.
    """

    @wraps(view)
    def guarded(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        response = (
            view(request, *args, **kwargs)  # type: ignore[arg-type]  # HtmxMiddleware has seen it
            if request.user.is_authenticated
            else _to_login(request)
        )
        add_never_cache_headers(response)
        return response

    return guarded


def _to_login(request: HttpRequest) -> HttpResponse:
    htmx: HtmxDetails = request.htmx  # type: ignore[attr-defined]
    if htmx:
        page = htmx.current_url_abs_path or "/"
        login = redirect_to_login(page, resolve_url(settings.LOGIN_URL))
        return HttpResponseClientRedirect(login.url)
    return redirect_to_login(request.get_full_path(), resolve_url(settings.LOGIN_URL))
