"""The key that signs access tokens: its own, so that one leak does not open both doors."""

import hashlib

from django.core.exceptions import ImproperlyConfigured

#: Bytes; shorter ones could be found by trying.
MIN_LENGTH = 32


def jwt_signing_key(given: str, *, secret_key: str, production: bool) -> str:
    """The signing key in force. Without one, development derives it from the secret key.

    Raises ImproperlyConfigured for a short key, one that is the secret key, and none in production.
    """
    if not given:
        if production:
            raise ImproperlyConfigured(
                "JWT_SIGNING_KEY (or JWT_SIGNING_KEY_FILE) must be set in production."
            )
        return hashlib.sha256(f"access tokens {secret_key}".encode()).hexdigest()
    if given == secret_key:
        raise ImproperlyConfigured("JWT_SIGNING_KEY must differ from SECRET_KEY.")
    if len(given.encode()) < MIN_LENGTH:
        raise ImproperlyConfigured(f"JWT_SIGNING_KEY must have at least {MIN_LENGTH} bytes.")
    return given
