"""Sessions of people who are to be signed out."""

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.db.models.functions import Now


def end_sessions(person_id: int) -> int:
    """End every page session of a person; returns how many there were.

    No column of a session tells its person, so the live ones are read: some hundreds at most.
    """
    live = Session.objects.filter(expire_date__gt=Now()).iterator()
    keys = [s.session_key for s in live if s.get_decoded().get(SESSION_KEY) == str(person_id)]
    return Session.objects.filter(session_key__in=keys).delete()[0]
