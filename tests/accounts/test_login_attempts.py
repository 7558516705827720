"""Failed logins, until the next ones wait."""

import pytest

from accounts import login_attempts
from accounts.authentication import check_credentials
from accounts.errors import BadCredentials, TooManyAttempts
from accounts.models import User
from audit.models import AuditEvent
from controlplane.actors import Origin
from tests.factories import PASSWORD

ADDRESS = "192.0.2.7"


def fail(times: int, email: str = "user@example.com", address: str = ADDRESS) -> None:
    for _ in range(times):
        login_attempts.note_failure(email, address)


def test_ten_failures_of_one_account_from_one_address_make_the_next_wait() -> None:
    fail(9)
    login_attempts.check("user@example.com", ADDRESS)
    fail(1, email=" USER@example.com")
    with pytest.raises(TooManyAttempts, match="in 15 minutes"):
        login_attempts.check("user@example.com", ADDRESS)


def test_the_owner_can_still_sign_in_from_elsewhere() -> None:
    fail(10)
    login_attempts.check("user@example.com", "198.51.100.1")


def test_an_address_that_tries_many_accounts_waits() -> None:
    for number in range(50):
        fail(1, email=f"person{number}@example.com")
    with pytest.raises(TooManyAttempts):
        login_attempts.check("user@example.com", ADDRESS)


def test_an_account_that_many_addresses_try_waits() -> None:
    for number in range(100):
        fail(1, address=f"198.51.100.{number}")
    with pytest.raises(TooManyAttempts):
        login_attempts.check("user@example.com", ADDRESS)


def test_a_success_clears_what_its_pair_failed() -> None:
    fail(9)
    login_attempts.forget("user@example.com", ADDRESS)
    fail(1)
    login_attempts.check("user@example.com", ADDRESS)


def test_odd_text_is_counted_like_any_other() -> None:
    fail(10, email="\ud800\x00" * 500)
    with pytest.raises(TooManyAttempts):
        login_attempts.check("\ud800\x00" * 500, ADDRESS)


@pytest.mark.parametrize("email", ["user@example.com", "unknown@example.com"])
def test_known_and_unknown_accounts_wait_alike(user: User, email: str) -> None:
    origin = Origin(ip=ADDRESS)
    for _ in range(10):
        with pytest.raises(BadCredentials):
            check_credentials(email=email, password="wrong", origin=origin)
    with pytest.raises(TooManyAttempts):
        check_credentials(email=email, password=PASSWORD, origin=origin)
    assert AuditEvent.objects.order_by("-id")[0].metadata == {"reason": "too_many_attempts"}
