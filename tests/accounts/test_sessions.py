"""Ending sessions of one person."""

from datetime import timedelta

from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.sessions import end_sessions


def test_all_sessions_of_the_person_end_and_no_others(
    user: User, user_client: Client, other_user_client: Client
) -> None:
    second = Client()
    second.force_login(user)
    assert end_sessions(user.pk) == 2
    assert user_client.get("/audit/").status_code == 302
    assert second.get("/audit/").status_code == 302
    assert other_user_client.get("/audit/").status_code == 403


def test_a_session_that_cannot_be_read_is_no_obstacle(user: User, user_client: Client) -> None:
    Session.objects.create(
        session_key="x", session_data="damaged", expire_date=timezone.now() + timedelta(days=1)
    )
    assert end_sessions(user.pk) == 1
