"""What a login and the care of accounts can be refused with."""

import pytest

from accounts import errors
from controlplane.errors import ControlPlaneError


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.BadCredentials(), 401),
        (errors.AccountLocked(), 403),
        (errors.AccountDisabled(), 403),
        (errors.EmailTaken(), 409),
        (errors.OwnAccount(), 403),
    ],
)
def test_each_error_has_a_sentence_and_a_status(error: ControlPlaneError, status: int) -> None:
    assert error.http_status == status
    assert error.message.endswith(".")
