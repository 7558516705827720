from unittest.mock import patch

import pytest
from django.db import OperationalError
from django.test import Client


@pytest.mark.django_db
def test_the_health_page_answers_a_stranger(client: Client) -> None:
    response = client.get("/healthz")
    assert (response.status_code, response.json()["status"]) == (200, "ok")
    assert "no-store" in response.headers["Cache-Control"]


def test_the_health_page_says_503_without_a_database(client: Client) -> None:
    with patch("controlplane.views.connection.cursor", side_effect=OperationalError("gone")):
        response = client.get("/healthz")
    assert (response.status_code, response.json()["database"]) == (503, "unreachable")


def test_the_first_page_is_the_jobs_list(client: Client) -> None:
    response = client.get("/")
    assert (response.status_code, response.headers["Location"]) == (302, "/jobs/")


@pytest.mark.django_db
def test_an_unknown_address_gives_a_page_that_helps(client: Client) -> None:
    response = client.get("/nowhere/")
    assert response.status_code == 404
    assert "Not found" in response.text


def test_a_broken_page_says_so_without_a_trace() -> None:
    client = Client(raise_request_exception=False)
    with patch("controlplane.views.redirect", side_effect=RuntimeError("secret detail")):
        response = client.get("/")
    assert response.status_code == 500
    assert "Something broke on our side" in response.text
    assert "secret detail" not in response.text
