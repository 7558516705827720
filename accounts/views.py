"""Signing in and out."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from accounts import authentication
from accounts.forms import LoginForm
from controlplane.errors import ControlPlaneError


@sensitive_post_parameters("password")
@csrf_protect
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def login(request: HttpRequest) -> HttpResponse:
    """The login page; a person who is signed in already goes on to where they wanted to go."""
    target = _next_page(request)
    if request.method != "POST":
        if request.user.is_authenticated:
            return redirect(target)
        return _login_page(request, LoginForm(), status=200)
    form = LoginForm(request.POST)
    if not form.is_valid():
        return _login_page(request, form, status=400)
    try:
        authentication.sign_in(request, **form.cleaned_data)
    except ControlPlaneError as error:
        form.add_error(None, error.message)
        return _login_page(request, form, status=error.http_status)
    return redirect(target)


@never_cache
@require_POST
def logout(request: HttpRequest) -> HttpResponse:
    authentication.sign_out(request)
    return redirect(settings.LOGIN_URL)


def _login_page(request: HttpRequest, form: LoginForm, *, status: int) -> HttpResponse:
    context = {"form": form, "next": request.POST.get("next", request.GET.get("next", ""))}
    return render(request, "accounts/login.html", context, status=status)


def _next_page(request: HttpRequest) -> str:
    """Where to go after the login: a page of this very site, or the first one."""
    wanted = request.POST.get("next", request.GET.get("next", ""))
    is_ours = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if is_ours else resolve_url(settings.LOGIN_REDIRECT_URL)
