"""Every route of the API by every role, against the written table."""

import re

import pytest

from accounts.actions.personal_tokens import create_token
from accounts.models import ApiSession, PersonalToken, User
from audit.models import AuditEvent
from jobs.models import Job, Queue
from scheduling.models import JobSchedule
from tests.api_client import ApiClient, api_for, session_of
from tests.conftest import actor_for
from tests.contracts.routes import ROUTES, Route, routes_of_urlconf
from tests.factories import make_job
from tests.scheduling.factories import make_schedule

ROLES = ("stranger", "owner", "other", "operator", "admin")


class World:
    """A person with one of everything, and the others."""

    def __init__(self, user: User, other_user: User, operator: User, admin: User) -> None:
        self.owner = user
        self.clients = {
            "stranger": ApiClient(),
            "owner": api_for(user),
            "other": api_for(other_user),
            "operator": api_for(operator),
            "admin": api_for(admin),
        }

    def path(self, name: str) -> str:
        """The route's address, for something that the owner has and that suits it."""
        address = name.partition(" ")[2]
        return "/" + re.sub(
            r"<\w+:(\w+)>", lambda found: self._value(found[1], ROUTES[name]), address
        )

    def _value(self, parameter: str, route: Route) -> str:
        if parameter == "session_id":
            return str(session_of(self.owner).id)
        if parameter == "token_id":
            create_token(name="x", scope="read", expires_in_days=1, actor=actor_for(self.owner))
            return str(PersonalToken.objects.latest("id").id)
        if parameter in ("job_id", "target_id"):
            return str(make_job(route.state, owner=self.owner).id)
        if parameter == "schedule_id":
            return str(self._schedule(route.state).id)
        fixed = {"user_id": str(self.owner.pk), "target_type": "job", "number": "1", "name": "mail"}
        return fixed[parameter]

    def _schedule(self, state: str) -> JobSchedule:
        schedule = make_schedule(owner=self.owner, enabled=state == "PENDING")
        if state == "TASK_NOT_FOUND":
            JobSchedule.objects.filter(id=schedule.id).update(schedule_status=state)
        return schedule


@pytest.fixture
def world(user: User, other_user: User, operator: User, admin: User) -> World:
    Queue.objects.create(name="mail", paused_at="2026-01-01T00:00:00Z")
    return World(user, other_user, operator, admin)


def test_every_route_is_classified_and_every_class_has_its_route() -> None:
    assert routes_of_urlconf() == sorted(ROUTES)


@pytest.mark.parametrize("name", ROUTES)
@pytest.mark.parametrize("role", ROLES)
def test_a_role_is_answered_as_the_table_says(world: World, name: str, role: str) -> None:
    route = ROUTES[name]
    expected = int(route.answers.split()[ROLES.index(role)])
    answer = world.clients[role](name.split()[0], world.path(name), route.body)
    assert answer.status == expected, answer.text
    if expected >= 400:
        assert answer.code


CHANGING = [name for name in ROUTES if not name.startswith("GET")]


@pytest.mark.parametrize("name", CHANGING)
@pytest.mark.parametrize("role", ["owner", "admin"])
def test_a_change_is_recorded_once_and_a_refusal_too(world: World, name: str, role: str) -> None:
    route, path = ROUTES[name], world.path(name)
    before = AuditEvent.objects.count()
    answer = world.clients[role](name.split()[0], path, route.body)
    recorded = [e.event_type for e in AuditEvent.objects.order_by("id")[before:]]
    if answer.status == 403:
        assert recorded == ["ACCESS_DENIED"]
    elif answer.status >= 400:
        assert recorded == []
    else:
        assert tuple(recorded) == route.events


@pytest.mark.parametrize("name", [name for name in ROUTES if name.startswith("GET")])
def test_reading_changes_and_records_nothing(world: World, name: str) -> None:
    path = world.path(name)
    before = state()
    for method in ("GET", "HEAD"):
        assert world.clients["admin"](method, path).status == 200
    assert state() == before


def state() -> list[object]:
    """What a change would change."""
    return [AuditEvent.objects.count(), ApiSession.objects.count(), list(Job.objects.values())]
