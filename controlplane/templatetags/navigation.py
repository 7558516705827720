"""The places of the site, as the navigation shows them to one person."""

from dataclasses import dataclass

from django import template
from django.http import HttpRequest
from django.urls import reverse

from accounts.authentication import actor_of
from accounts.permissions import allows

register = template.Library()


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the navigation; `permission` is what one needs to see it, empty: nothing."""

    label: str
    icon: str
    view: str
    permission: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """A place as it is shown; `current` when the page lies within it."""

    label: str
    icon: str
    url: str
    current: bool


PLACES = (
    Place("Jobs", "list", "jobs:list"),
    Place("Schedules", "calendar", "scheduling:list"),
    Place("Audit", "book", "audit:list", "audit.read"),
)


@register.simple_tag(takes_context=True)
def navigation(context: template.Context) -> list[Shown]:
    """The places that the person may go to; none for someone who is not signed in."""
    request: HttpRequest | None = context.get("request")
    if request is None or not getattr(request, "user", None) or not request.user.is_authenticated:
        return []
    actor = actor_of(request)
    return [
        _shown(place, request.path)
        for place in PLACES
        if not place.permission or allows(actor, place.permission)
    ]


def _shown(place: Place, path: str) -> Shown:
    url = reverse(place.view)
    return Shown(place.label, place.icon, url, path.startswith(url))
