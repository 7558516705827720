import pytest
from django.test import Client

from controlplane.templatetags.navigation import PLACES
from tests.controlplane.templatetags.test_components import SYMBOLS


def test_a_place_that_one_may_not_enter_is_not_shown(user_client: Client) -> None:
    assert 'href="/audit/"' not in user_client.get("/jobs/").text


def test_an_operator_sees_the_audit_trail_in_the_navigation(operator_client: Client) -> None:
    assert 'href="/audit/"' in operator_client.get("/jobs/").text


def test_the_place_where_one_is_is_marked(operator_client: Client) -> None:
    assert (
        '<a class="nav__link" href="/jobs/" aria-current="true">'
        in operator_client.get("/jobs/").text
    )


@pytest.mark.django_db
def test_a_stranger_sees_no_place(client: Client) -> None:
    assert "nav__link" not in client.get("/nowhere/").text


def test_every_place_has_a_symbol_that_exists() -> None:
    assert {place.icon for place in PLACES} <= SYMBOLS
