"""The host's own start page, and the product under a prefix."""

from django.http import HttpRequest, HttpResponse
from django.urls import include, path


def home(request: HttpRequest) -> HttpResponse:
    return HttpResponse("The host's own page.")


urlpatterns = [
    path("", home, name="home"),
    path("ops/", include("controlplane.urls")),
]
