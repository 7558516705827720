import pytest
from django.http import QueryDict

from controlplane.errors import InvalidInput
from jobs.filters import JobFilter, job_filter
from jobs.lifecycle import Status


def test_an_empty_query_does_not_narrow() -> None:
    assert job_filter(QueryDict("status=&queue=&task=&unknown=1")) == JobFilter()
    assert not JobFilter().is_narrowed


@pytest.mark.parametrize("status", Status)
def test_every_status_is_read_in_either_case(status: Status) -> None:
    assert job_filter(QueryDict(f"status={status}")).status is status
    assert job_filter(QueryDict(f"status={status.lower()}")).status is status


def test_queue_and_task_are_trimmed_and_narrow() -> None:
    wanted = job_filter(QueryDict("queue=+mail+&task=a.tasks.send"))
    assert wanted == JobFilter(queue="mail", task="a.tasks.send")
    assert wanted.is_narrowed


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("status=DONE", "status"),
        ("status=%00", "status"),
        ("status=FAILED&status=RUNNING", "status"),
        ("queue=a&queue=b", "queue"),
        ("queue=a%00b", "queue"),
        (f"queue={'q' * 101}", "queue"),
        (f"task={'t' * 256}", "task"),
    ],
)
def test_what_cannot_be_is_refused_with_its_name(query: str, field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        job_filter(QueryDict(query))
    assert refused.value.field == field
    assert field in refused.value.message
