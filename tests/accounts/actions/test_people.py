"""Creating accounts and changing their role, status and password."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from accounts import errors, roles
from accounts.actions import change_password, create_user, set_role, set_status
from accounts.models import User
from audit.models import AuditEvent
from controlplane.actors import Actor
from controlplane.errors import ControlPlaneError, InvalidInput, NotFound, PermissionDenied
from tests.factories import PASSWORD

NEW = {"email": "new@example.com", "password": "a brand new password", "role": "USER"}
MANAGED: list[tuple[Callable[..., User], dict[str, str]]] = [
    (set_role, {"role": "OPERATOR"}),
    (set_status, {"status": "LOCKED"}),
    (change_password, {"password": "a brand new password"}),
]


def events() -> list[tuple[str, int | None, dict[str, Any]]]:
    rows = AuditEvent.objects.order_by("id")
    return [(event.event_type, event.target_id, event.metadata) for event in rows]


def test_a_new_account_has_its_role_and_can_sign_in(admin_actor: Actor) -> None:
    person = create_user(
        email=" New@Example.com ", password="a brand new password", role="USER", actor=admin_actor
    )
    assert person.email == "new@example.com"
    assert person.check_password("a brand new password")
    assert roles.roles_of(person) == {"USER"}
    assert events() == [("USER_CREATED", person.pk, {"role": "USER"})]
    assert AuditEvent.objects.get().actor_id == admin_actor.id


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"email": ""}, "email"),
        ({"email": "not an address"}, "email"),
        ({"email": "new@example.com\x00"}, "email"),
        ({"email": "\ud800@example.com"}, "email"),
        ({"email": "new@" + "e" * 250 + ".com"}, "email"),
        ({"password": "too short"}, "password"),
        ({"password": "new@example.com"}, "password"),
        ({"role": "KING"}, "role"),
        ({"role": ""}, "role"),
    ],
)
def test_a_new_account_needs_good_input(
    admin_actor: Actor, wrong: dict[str, str], field: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        create_user(**{**NEW, **wrong}, actor=admin_actor)
    assert caught.value.field == field
    assert User.objects.count() == 1
    assert not AuditEvent.objects.exists()


def test_one_address_is_one_account(user: User, admin_actor: Actor) -> None:
    with pytest.raises(errors.EmailTaken):
        create_user(**{**NEW, "email": "USER@example.com"}, actor=admin_actor)
    assert User.objects.count() == 2
    assert not AuditEvent.objects.exists()


@pytest.mark.parametrize("who", ["nobody_actor", "user_actor", "operator_actor"])
def test_only_admins_manage_accounts(
    request: pytest.FixtureRequest, other_user: User, who: str
) -> None:
    actor: Actor = request.getfixturevalue(who)
    with pytest.raises(PermissionDenied):
        create_user(**NEW, actor=actor)
    for action, change in MANAGED:
        with pytest.raises(PermissionDenied):
            action(user_id=other_user.pk, actor=actor, **change)
    other_user.refresh_from_db()
    assert other_user.status == "ACTIVE"
    assert other_user.check_password(PASSWORD)
    assert not AuditEvent.objects.exists()


def test_a_role_is_replaced(user: User, admin_actor: Actor) -> None:
    set_role(user_id=user.pk, role="OPERATOR", actor=admin_actor)
    assert roles.roles_of(user) == {"OPERATOR"}
    assert events() == [("USER_ROLE_CHANGED", user.pk, {"before": "USER", "after": "OPERATOR"})]


def test_the_same_role_or_status_again_is_no_event(user: User, admin_actor: Actor) -> None:
    set_role(user_id=user.pk, role="USER", actor=admin_actor)
    set_status(user_id=user.pk, status="ACTIVE", actor=admin_actor)
    assert events() == []


@pytest.mark.parametrize("status", ["LOCKED", "DISABLED"])
def test_a_locked_or_disabled_person_is_signed_out_for_good(
    user: User, user_client: Client, admin_actor: Actor, status: str
) -> None:
    set_status(user_id=user.pk, status=status, actor=admin_actor, reason="left")
    assert user_client.get("/audit/").status_code == 302
    set_status(user_id=user.pk, status="ACTIVE", actor=admin_actor)
    assert user_client.get("/audit/").status_code == 302
    assert events() == [
        ("USER_STATUS_CHANGED", user.pk, {"before": "ACTIVE", "after": status, "reason": "left"}),
        ("USER_STATUS_CHANGED", user.pk, {"before": status, "after": "ACTIVE", "reason": ""}),
    ]


@pytest.mark.parametrize(("action", "change"), MANAGED[:2])
def test_nobody_changes_their_own_role_or_status(
    admin: User, admin_actor: Actor, action: Any, change: dict[str, str]
) -> None:
    with pytest.raises(errors.OwnAccount):
        action(user_id=admin.pk, actor=admin_actor, **change)
    admin.refresh_from_db()
    assert admin.status == "ACTIVE"
    assert roles.roles_of(admin) == {"ADMIN"}


@pytest.mark.parametrize(("action", "change"), MANAGED)
def test_an_unknown_account_is_not_found(
    admin_actor: Actor, action: Any, change: dict[str, str]
) -> None:
    with pytest.raises(NotFound):
        action(user_id=0, actor=admin_actor, **change)


@pytest.mark.parametrize(
    ("action", "change"), [(set_role, {"role": "KING"}), (set_status, {"status": "GONE"})]
)
def test_an_unknown_role_or_status_is_refused(
    user: User, admin_actor: Actor, action: Any, change: dict[str, str]
) -> None:
    with pytest.raises(InvalidInput) as caught:
        action(user_id=user.pk, actor=admin_actor, **change)
    assert caught.value.field in change


@pytest.mark.parametrize(("action", "change"), MANAGED[:2])
def test_who_is_no_admin_any_more_cannot_act_on_an_old_claim(
    user: User, admin: User, admin_actor: Actor, action: Any, change: dict[str, str]
) -> None:
    """Else two administrators could remove each other at once, and nobody would be left."""
    roles.assign(admin, "USER")
    with pytest.raises(PermissionDenied):
        action(user_id=user.pk, actor=admin_actor, **change)
    roles.assign(admin, "ADMIN")
    User.objects.filter(pk=admin.pk).update(status="LOCKED")
    with pytest.raises(PermissionDenied):
        action(user_id=user.pk, actor=admin_actor, **change)


def test_ones_own_password_needs_the_current_one(user: User, user_actor: Actor) -> None:
    change: dict[str, Any] = {"user_id": user.pk, "password": "a brand new password"}
    for current in ("", "not the password", "\x00", "\ud800"):
        with pytest.raises(InvalidInput) as caught:
            change_password(**change, actor=user_actor, current=current)
        assert caught.value.field == "current"
    change_password(**change, actor=user_actor, current=PASSWORD)
    user.refresh_from_db()
    assert user.check_password("a brand new password")
    assert events() == [("PASSWORD_CHANGED", user.pk, {})]


def test_an_admin_sets_the_password_of_another(user: User, admin_actor: Actor) -> None:
    change_password(user_id=user.pk, password="a brand new password", actor=admin_actor)
    user.refresh_from_db()
    assert user.check_password("a brand new password")


def test_a_weak_password_is_refused(user: User, admin_actor: Actor) -> None:
    with pytest.raises(InvalidInput, match="12 characters"):
        change_password(user_id=user.pk, password="short", actor=admin_actor)
    assert events() == []


def test_the_machine_manages_everybody(user: User, system: Actor) -> None:
    set_role(user_id=user.pk, role="ADMIN", actor=system)
    set_status(user_id=user.pk, status="LOCKED", actor=system)
    assert AuditEvent.objects.filter(actor_id=None, actor_label="").count() == 2


@pytest.mark.parametrize("failing", ["create", *range(3)])
def test_a_change_and_its_event_are_one(
    user: User, admin_actor: Actor, monkeypatch: pytest.MonkeyPatch, failing: str | int
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ControlPlaneError("no audit")

    monkeypatch.setattr("audit.recorder.record", broken)
    with pytest.raises(ControlPlaneError, match="no audit"):
        if isinstance(failing, int):
            action, change = MANAGED[failing]
            action(user_id=user.pk, actor=admin_actor, **change)
        else:
            create_user(**NEW, actor=admin_actor)
    user.refresh_from_db()
    assert (user.status, roles.roles_of(user)) == ("ACTIVE", frozenset({"USER"}))
    assert user.check_password(PASSWORD)
    assert User.objects.count() == 2
