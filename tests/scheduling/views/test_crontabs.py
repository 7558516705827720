"""Pasting a crontab: the dry run comes first, and just that is stored."""

import pytest
from django.test import Client

from accounts.models import User
from scheduling.models import JobSchedule
from tests.scheduling.conftest import Options

PAGE = "/schedules/import/"
TEXT = "# Say it\n*/5 * * * * echo hello\n@reboot nothing\n61 * * * * echo bad\n"


@pytest.fixture(autouse=True)
def commands_allowed(options: Options) -> None:
    options(run_command_enabled=True)


def test_what_each_line_becomes_is_shown_before_anything_is_stored(admin_client: Client) -> None:
    response = admin_client.post(PAGE, {"text": TEXT, "user_field": "no"})
    page = response.text
    for shown in ("echo hello", "*/5 * * * *", "Created", "Skipped", "Refused", "@reboot"):
        assert shown in page
    assert response.context["made"] == 1
    assert not JobSchedule.objects.exists()


def test_the_same_text_is_then_stored_in_ones_own_name(admin_client: Client, admin: User) -> None:
    fields = {"text": TEXT, "user_field": "no", "enable": "on", "store": "1"}
    assert admin_client.post(PAGE, fields).status_code == 302
    schedule = JobSchedule.objects.get()
    assert (schedule.owner, schedule.schedule_status) == (admin, "ENABLED")
    assert schedule.description == "Say it"
    again = admin_client.post(PAGE, {"text": TEXT, "user_field": "no"})
    assert again.context["made"] == 0
    assert "Unchanged" in again.text


def test_who_may_not_run_commands_is_refused_line_by_line(user_client: Client) -> None:
    page = user_client.post(PAGE, {"text": TEXT, "user_field": "no", "store": "1"}, follow=True)
    assert page.status_code == 200
    assert not JobSchedule.objects.exists()


@pytest.mark.parametrize("fields", [{}, {"text": ""}, {"text": "x" * 200_001}, {"text": "a\x00"}])
def test_no_text_or_too_much_is_an_error_of_the_field(
    admin_client: Client, fields: dict[str, str]
) -> None:
    response = admin_client.post(PAGE, fields)
    assert response.status_code == 400
    assert response.context["form"].errors["text"]


def test_without_a_role_there_is_no_import(client: Client, nobody: User) -> None:
    client.force_login(nobody)
    assert client.get(PAGE).status_code in {403, 404}
