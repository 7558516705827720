"""Tasks, queues and workers by HTTP."""

import pytest

from accounts.models import User
from audit.models import AuditEvent
from jobs.models import Queue
from tests.api_client import api_for
from tests.factories import make_jobs, make_worker


def test_tasks_are_listed_with_what_they_take(user: User) -> None:
    items = api_for(user).get("/tasks").body["items"]
    tasks = {item["task"]: item for item in items}
    assert list(tasks) == sorted(tasks)
    assert tasks["tests.sample_app.tasks.add"]["parameters"] == [
        {"name": "a", "is_required": True, "annotation": "int"},
        {"name": "b", "is_required": False, "annotation": "int"},
    ]
    command = tasks["jobs.tasks.run_command.run_command"]
    assert "context" not in [parameter["name"] for parameter in command["parameters"]]
    assert command["description"]


def test_a_queue_is_paused_and_resumed(operator: User) -> None:
    make_jobs(2, queue="mail")
    api = api_for(operator)
    until = "2099-01-01T00:00:00Z"
    assert api.post("/queues/mail/pause", {"reason": "move", "until": until}).status == 204
    listed = {queue["name"]: queue for queue in api.get("/queues").body["items"]}
    assert listed["mail"]["is_paused"]
    assert (listed["mail"]["pending"], listed["mail"]["paused_until"]) == (2, until)
    assert api.post("/queues/mail/resume").status == 204
    assert Queue.objects.get(name="mail").paused_at is None
    kinds = AuditEvent.objects.filter(target_type="queue").values_list("event_type", flat=True)
    assert list(kinds.order_by("id")) == ["QUEUE_PAUSED", "QUEUE_RESUMED"]


@pytest.mark.parametrize(
    ("name", "body", "field"),
    [
        ("mail", {}, "reason"),
        ("mail", {"reason": "x", "until": "2001-01-01T00:00:00Z"}, "until"),
        ("mail", {"reason": "x" * 256}, "reason"),
        ("x" * 101, {"reason": "x"}, "name"),
        ("a%00", {"reason": "x"}, "name"),
    ],
)
def test_a_pause_that_cannot_be_names_the_field(
    operator: User, name: str, body: dict[str, str], field: str
) -> None:
    answer = api_for(operator).post(f"/queues/{name}/pause", body)
    assert (answer.status, answer.body["field"]) == (400, field)


def test_workers_are_listed_all_or_alive(operator: User) -> None:
    alive = make_worker()
    make_worker(stopped_at="2026-01-01T00:00:00Z")
    api = api_for(operator)
    assert len(api.get("/workers").body["items"]) == 2
    assert [w["id"] for w in api.get("/workers?live=true").body["items"]] == [alive.id]
    assert api.get("/workers?live=maybe").body["field"] == "live"
