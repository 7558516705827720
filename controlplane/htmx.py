"""How our pages speak with htmx: a typed request, page or partial, views for signed-in people."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Concatenate, cast

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils.cache import add_never_cache_headers, patch_vary_headers
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from controlplane import conf


class HtmxHttpRequest(HttpRequest):
    """A request that has passed HtmxMiddleware."""

    htmx: HtmxDetails


type View[**P] = Callable[Concatenate[HtmxHttpRequest, P], HttpResponse]
type DjangoView[**P] = Callable[Concatenate[HttpRequest, P], HttpResponse]


def render_page(
    request: HtmxHttpRequest,
    template: str,
    context: Mapping[str, Any],
    *,
    partial: str = "",
    status: int = 200,
) -> HttpResponse:
    """The whole page, or the partial of that name when htmx asks for the element with that id."""
    wanted = bool(partial) and request.htmx.target == partial and not request.htmx.boosted
    name = f"{template}#{partial}" if wanted else template
    layout = {"base_template": conf.options().base_template}
    response = render(request, name, layout | dict(context), status=status)
    patch_vary_headers(response, ("HX-Request", "HX-Target"))
    return response


def signed_in[**P](view: View[P]) -> DjangoView[P]:
    """Only for people who are signed in; others are sent to the login and back. Nothing is cached.

    A fragment asked for after the session ended sends the whole window to the login instead of
    showing the login inside of a region.
    """

    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if request.user.is_authenticated:
            response = view(cast(HtmxHttpRequest, request), *args, **kwargs)
        else:
            response = _to_login(cast(HtmxHttpRequest, request))
        add_never_cache_headers(response)
        return response

    return guarded


def _to_login(request: HtmxHttpRequest) -> HttpResponse:
    login = resolve_url(settings.LOGIN_URL)
    if request.htmx:
        page = request.htmx.current_url_abs_path or "/"
        return HttpResponseClientRedirect(redirect_to_login(page, login).url)
    if request.method in ("GET", "HEAD"):
        return redirect_to_login(request.get_full_path(), login)
    # What was to be posted is lost with the session, and its address alone shows nothing.
    return redirect(login)
