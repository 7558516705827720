"""The list of schedules: what it shows, to whom, in which order."""

import pytest
from django.test import Client

from accounts.models import User
from jobs.lifecycle import Status
from jobs.models import Job
from scheduling.materialise import fire_due
from tests.factories import make_job
from tests.scheduling.factories import make_due, make_schedule

LIST = "/schedules/"


def test_the_list_shows_both_statuses_times_and_the_last_run(operator_client: Client) -> None:
    schedule = make_due(make_schedule("Nightly backup", cron="0 3 * * *", timezone="Europe/Berlin"))
    fire_due(10)
    job = Job.objects.get()
    page = operator_client.get(LIST).text
    for shown in ("Nightly backup", "0 3 * * *", "Europe/Berlin", "At 03:00", "Enabled", "Ready"):
        assert shown in page
    assert f"/jobs/{job.id}/" in page
    make_job(Status.RUNNING, trigger="schedule", trigger_id=schedule.id)
    assert "Running</span>" in operator_client.get(LIST).text


def test_an_empty_list_says_how_to_fill_it(operator_client: Client) -> None:
    assert "importcrontab" in operator_client.get(LIST).text


def test_each_status_can_be_filtered_on_its_own(operator_client: Client) -> None:
    make_schedule("alpha")
    make_schedule("beta", enabled=False)
    busy = make_schedule("gamma", enabled=False)
    make_job(Status.RUNNING, trigger="schedule", trigger_id=busy.id)

    def names(query: str) -> set[str]:
        page = operator_client.get(f"{LIST}?{query}").text
        return {name for name in ("alpha", "beta", "gamma") if f"{name}</a>" in page}

    assert names("status=ENABLED") == {"alpha"}
    assert names("status=PAUSED") == {"beta", "gamma"}
    assert names("execution=RUNNING") == {"gamma"}
    assert names("status=PAUSED&execution=READY") == {"beta"}


@pytest.mark.parametrize(
    "query", ["status=ON", "execution=busy", "from=x", "sort=age", "page_size=0"]
)
def test_a_bad_filter_is_refused_by_name(operator_client: Client, query: str) -> None:
    response = operator_client.get(f"{LIST}?{query}")
    assert response.status_code == 400
    assert query.partition("=")[0] in response.text


def test_the_list_takes_the_same_queries_however_long(
    operator_client: Client, django_assert_max_num_queries: object
) -> None:
    for i in range(30):
        make_due(make_schedule(f"schedule {i}"))
    fire_due(100)
    with django_assert_max_num_queries(10):  # type: ignore[operator]
        operator_client.get(LIST)


def test_the_refreshed_regions_are_served_alone(operator_client: Client) -> None:
    schedule = make_schedule()
    htmx = {"HX-Request": "true"}
    part = operator_client.get(LIST, headers={**htmx, "HX-Target": "schedules"}).text
    assert part.lstrip().startswith('<div class="stack" id="schedules"')
    part = operator_client.get(
        f"{LIST}{schedule.id}/", headers={**htmx, "HX-Target": "schedule"}
    ).text
    assert part.lstrip().startswith('<div class="stack" id="schedule"')


def names_on(client: Client, query: str) -> list[str]:
    page = client.get(f"{LIST}?{query}")
    assert page.status_code == 200
    return [row.schedule.name for row, _ in page.context["rows"]]


def test_words_are_looked_for_in_names_and_tasks(operator_client: Client) -> None:
    make_schedule("Nightly backup")
    make_schedule("adding", task="tests.sample_app.tasks.add", args=[1])
    assert names_on(operator_client, "q=BACK") == ["Nightly backup"]
    assert names_on(operator_client, "q=tasks.add") == ["adding"]
    assert names_on(operator_client, "q=%25") == []
    assert operator_client.get(f"{LIST}?q=%00").status_code == 400
    assert operator_client.get(f"{LIST}?q={'x' * 256}").status_code == 400


def test_columns_sort_both_ways_and_pages_keep_the_order(operator_client: Client) -> None:
    for name, cron in (("b", "0 3 * * *"), ("C", "0 0 1 1 *"), ("a", "* * * * *")):
        make_schedule(name, cron=cron)
    make_schedule("d", cron="")
    assert names_on(operator_client, "") == ["a", "b", "C", "d"]
    assert names_on(operator_client, "sort=-name") == ["d", "C", "b", "a"]
    assert names_on(operator_client, "sort=next") == ["a", "b", "C", "d"]
    page = operator_client.get(f"{LIST}?sort=-name&page_size=3")
    assert [row.schedule.name for row, _ in page.context["rows"]] == ["d", "C", "b"]
    position = page.context["page"].next
    assert names_on(operator_client, f"sort=-name&page_size=3&from={position}") == ["a"]
    assert f"from={position}" in page.text


def test_the_last_run_sorts_by_its_time(operator_client: Client) -> None:
    first, second = make_due(make_schedule("first")), make_schedule("second")
    fire_due(10)
    make_due(second)
    fire_due(10)
    make_schedule("never")
    assert names_on(operator_client, "sort=-last") == ["second", "first", "never"]
    assert first.name in names_on(operator_client, "sort=last")


def test_actions_follow_the_status(operator_client: Client, nobody: User, client: Client) -> None:
    """PM12."""
    make_schedule("enabled")
    page = operator_client.get(LIST).text
    for testid in ("toggle", "action-run", "actions-menu", "action-edit", "action-history"):
        assert f'data-testid="schedule-{testid}"' in page
    assert 'data-testid="schedule-action-restore"' not in page
    client.force_login(nobody)
    assert "schedule-create-button" not in client.get(LIST).text
