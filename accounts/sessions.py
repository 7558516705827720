"""Sessions of people who are to be signed out: those of pages, and those of the API."""

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.db.models.functions import Now

from accounts.models import ApiSession


def end_sessions(person_id: int) -> int:
    """End every page session of a person; returns how many there were.

    No column of a session tells its person, so the live ones are read: some hundreds at most.
    """
    live = Session.objects.filter(expire_date__gt=Now()).iterator()
    keys = [s.session_key for s in live if s.get_decoded().get(SESSION_KEY) == str(person_id)]
    return Session.objects.filter(session_key__in=keys).delete()[0]


def end_api_sessions(person_id: int, why: str) -> int:
    """Revoke a person's sessions with the API; returns how many there were.

    Their refresh tokens are refused from then on, and so are the access tokens made with them.
    """
    live = ApiSession.objects.filter(user_id=person_id, revoked_at__isnull=True)
    return live.update(revoked_at=Now(), revoked_for=why)
