"""Refusals of a request before any app sees it."""

from controlplane.rest.errors import PayloadTooLarge


def test_a_body_that_is_too_large_names_the_limit() -> None:
    error = PayloadTooLarge("More than 5 bytes.", limit=5)
    assert (error.limit, error.http_status) == (5, 413)
    assert PayloadTooLarge().limit is None
