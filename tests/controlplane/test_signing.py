"""The key that signs access tokens."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from controlplane.signing import jwt_signing_key

KEY = "k" * 32


def test_a_given_key_is_used_as_it_is() -> None:
    assert jwt_signing_key(KEY, secret_key="s", production=True) == KEY


def test_production_refuses_to_start_without_one() -> None:
    with pytest.raises(ImproperlyConfigured, match="JWT_SIGNING_KEY"):
        jwt_signing_key("", secret_key="s", production=True)


@pytest.mark.parametrize("production", [True, False])
@pytest.mark.parametrize(("key", "why"), [("s" * 50, "differ"), ("short", "32 bytes")])
def test_a_bad_key_is_refused(key: str, why: str, production: bool) -> None:
    with pytest.raises(ImproperlyConfigured, match=why):
        jwt_signing_key(key, secret_key="s" * 50, production=production)


def test_development_derives_one_that_is_not_the_secret_key() -> None:
    derived = jwt_signing_key("", secret_key="s", production=False)
    assert derived == jwt_signing_key("", secret_key="s", production=False)
    assert derived != jwt_signing_key("", secret_key="t", production=False)
    assert len(derived) == 64
