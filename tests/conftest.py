"""What every test may ask for: people, their clients, their actors, and processes of their own."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from pytest_django import DjangoDbBlocker

from accounts.models import User
from controlplane.actors import SYSTEM, Actor
from jobs.models import Worker
from tests import emptying
from tests.factories import make_user, make_worker
from tests.started import StartedProcess
from tests.waiting import wait_until

StartCommand = Callable[..., StartedProcess]

emptying.replace_flush()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The usual one; at the end nobody of any test may still be connected, and is named if so."""
    yield
    with django_db_blocker.unblock():
        try:
            wait_until(
                lambda: not emptying.others(),
                timeout=10,
                what="a database that nobody uses",
                explain=lambda: "\n".join(emptying.others()),
            )
        finally:
            emptying.end_others()
            connection.close()


def actor_for(user: User) -> Actor:
    """The actor that this person is, with the roles that their groups give."""
    roles = frozenset(user.groups.values_list("name", flat=True))
    return Actor(id=user.pk, label=user.email, roles=roles)


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture(autouse=True)
def nothing_counted() -> None:
    """Rate limits and failed logins begin anew with each test."""
    cache.clear()


@pytest.fixture
def user(db: None) -> User:
    """USER: has jobs and schedules of their own."""
    return make_user("user@example.com", "USER")


@pytest.fixture
def other_user(db: None) -> User:
    """USER too: must see nothing of the first one's."""
    return make_user("other@example.com", "USER")


@pytest.fixture
def operator(db: None) -> User:
    """OPERATOR: all jobs and schedules, reads the audit trail."""
    return make_user("operator@example.com", "OPERATOR")


@pytest.fixture
def admin(db: None) -> User:
    """ADMIN: also users and dangerous tasks."""
    return make_user("admin@example.com", "ADMIN")


@pytest.fixture
def nobody(db: None) -> User:
    """Signed in, without any role."""
    return make_user("nobody@example.com")


@pytest.fixture
def user_client(user: User) -> Client:
    return signed_in(user)


@pytest.fixture
def other_user_client(other_user: User) -> Client:
    return signed_in(other_user)


@pytest.fixture
def operator_client(operator: User) -> Client:
    return signed_in(operator)


@pytest.fixture
def admin_client(admin: User) -> Client:
    return signed_in(admin)


@pytest.fixture
def user_actor(user: User) -> Actor:
    return actor_for(user)


@pytest.fixture
def other_user_actor(other_user: User) -> Actor:
    return actor_for(other_user)


@pytest.fixture
def operator_actor(operator: User) -> Actor:
    return actor_for(operator)


@pytest.fixture
def admin_actor(admin: User) -> Actor:
    return actor_for(admin)


@pytest.fixture
def nobody_actor(nobody: User) -> Actor:
    return actor_for(nobody)


@pytest.fixture
def system() -> Actor:
    return SYSTEM


@pytest.fixture
def worker(db: None) -> Worker:
    """A live executor that claims in its name can be made for."""
    return make_worker()


@pytest.fixture
def witness(tmp_path: Path) -> str:
    """Path of a file for sample tasks to testify in; read it with `testimony`."""
    return str(tmp_path / "witness")


@pytest.fixture
def start_command(transactional_db: None, tmp_path: Path) -> Iterator[StartCommand]:
    """Starts management commands as real processes on the test's database; all are ended after it.

    `start_command("runexecutor", "--once", options={...}, environment={...})`.
    """
    with ExitStack() as running:

        def start(*arguments: str, **how: object) -> StartedProcess:
            log_path = tmp_path / f"{arguments[0]}-{len(list(tmp_path.glob('*.log')))}.log"
            process = StartedProcess(*arguments, log_path=log_path, **how)  # type: ignore[arg-type]
            return running.enter_context(process)

        yield start
