import pytest
from django.core.exceptions import FieldFetchBlocked
from django.db import connection
from django.db.models.functions import Now
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from controlplane.actors import SYSTEM, Actor
from controlplane.errors import NotFound
from controlplane.pagination import PageRequest
from jobs import queries
from jobs.filters import JobFilter
from jobs.lifecycle import Outcome, Status
from jobs.models import Job, JobExecution, Worker
from tests.factories import make_job, make_odd_execution


def listed(actor: Actor, **wanted: object) -> list[int]:
    page = queries.job_page(actor, JobFilter(**wanted), PageRequest())  # type: ignore[arg-type]
    return [row.job.id for row in page.items]


def test_a_user_sees_own_jobs_only(user: User, other_user: User, user_actor: Actor) -> None:
    own = make_job(owner=user)
    make_job(owner=other_user)
    make_job()
    assert listed(user_actor) == [own.id]


def test_an_operator_sees_everybodys_jobs(user: User, operator_actor: Actor) -> None:
    ids = [make_job(owner=user).id, make_job().id]
    assert listed(operator_actor) == ids[::-1]


@pytest.mark.django_db
def test_a_stranger_sees_nothing() -> None:
    make_job()
    assert listed(Actor(id=None, label="anonymous")) == []


def test_a_job_of_somebody_else_looks_as_if_it_did_not_exist(
    other_user: User, user_actor: Actor
) -> None:
    job = make_job(owner=other_user)
    with pytest.raises(NotFound) as hidden:
        queries.visible_job(user_actor, job.id)
    with pytest.raises(NotFound) as missing:
        queries.visible_job(user_actor, job.id + 1)
    assert hidden.value.message.replace(str(job.id), "") == missing.value.message.replace(
        str(job.id + 1), ""
    )


@pytest.mark.django_db
@pytest.mark.parametrize("status", Status)
def test_each_state_lists_exactly_its_jobs(status: Status) -> None:
    jobs = {s: make_job(s) for s in Status}
    assert listed(SYSTEM, status=status) == [jobs[status].id]


@pytest.mark.django_db
def test_jobs_are_found_by_queue_short_name_and_dotted_path() -> None:
    job = make_job(task="a.tasks.send", queue="mail")
    make_job(task="a.tasks.resend", queue="default")
    assert listed(SYSTEM, queue="mail") == [job.id]
    assert listed(SYSTEM, task="send") == [job.id]
    assert listed(SYSTEM, task="a.tasks.send") == [job.id]
    assert listed(SYSTEM, task="%send") == []
    assert listed(SYSTEM, task="tasks.send") == []


@pytest.mark.django_db
def test_a_row_shows_the_last_execution() -> None:
    job = make_job(Status.FAILED)
    waiting = make_job()
    page = queries.job_page(SYSTEM, JobFilter(), PageRequest())
    rows = {row.job.id: row.attempt for row in page.items}
    assert rows[waiting.id] is None
    attempt = rows[job.id]
    assert attempt is not None
    assert (attempt.number, attempt.status) == (1, Outcome.FAILED)


@pytest.mark.django_db
@pytest.mark.parametrize("size", [1, 5])
def test_the_list_costs_two_queries_however_long(
    size: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(size):
        make_job(Status.FAILED)
    with django_assert_num_queries(2):
        queries.job_page(SYSTEM, JobFilter(), PageRequest())


@pytest.mark.django_db
def test_a_lazy_read_from_a_listed_job_is_an_error() -> None:
    make_job()
    page = queries.job_page(SYSTEM, JobFilter(), PageRequest())
    with pytest.raises(FieldFetchBlocked):
        _ = page.items[0].job.kwargs


@pytest.mark.django_db
def test_counts_are_of_the_visible_jobs_of_each_counted_state() -> None:
    for status in Status:
        make_job(status)
    make_job(Status.DEAD_LETTER)
    assert queries.status_counts(SYSTEM) == {
        Status.PENDING: 1,
        Status.RUNNING: 1,
        Status.FAILED: 1,
        Status.DEAD_LETTER: 2,
    }


@pytest.mark.django_db
def test_counting_stops_beyond_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "COUNT_LIMIT", 2)
    for _ in range(5):
        make_job()
    assert queries.status_counts(SYSTEM)[Status.PENDING] == 3


@pytest.mark.django_db
def test_executions_come_newest_first_with_the_label_of_their_worker(worker: Worker) -> None:
    job = make_job(Status.FAILED, worker=worker)
    odd = make_odd_execution(job, status=Outcome.INTERRUPTED, worker_id=999_999)
    assert [(row.execution.number, row.worker) for row in queries.executions_of(job)] == [
        (odd.number, "worker 999999"),
        (1, worker.label),
    ]


@pytest.mark.django_db
def test_executions_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "MAX_EXECUTIONS", 2)
    job = make_job()
    for number in (1, 2, 3):
        make_odd_execution(job, number=number, status=Outcome.INTERRUPTED)
    assert [row.execution.number for row in queries.executions_of(job)] == [3, 2]


@pytest.mark.django_db
def test_the_chosen_execution_is_the_last_one_unless_told_otherwise() -> None:
    job = make_job(Status.FAILED)
    last = JobExecution.objects.get(job=job)
    assert queries.execution_of(job, None) == last
    assert queries.execution_of(job, 1) == last
    assert queries.execution_of(make_job(), None) is None


@pytest.mark.django_db
def test_an_unknown_execution_is_not_found() -> None:
    with pytest.raises(NotFound, match="no execution 7"):
        queries.execution_of(make_job(), 7)


def make_history(count: int) -> None:
    """Jobs that just worked, by raw columns: what most of the table is."""
    ended = {"status": Status.SUCCEEDED, "finished_at": Now()}
    jobs = Job.objects.bulk_create(
        Job(task="a.tasks.done", queued_at=Now(), **ended) for _ in range(count)
    )
    JobExecution.objects.bulk_create(
        JobExecution(job=job, number=1, worker_id=0, lease_expires_at=Now(), **ended)
        for job in jobs
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("status", "index"),
    [
        (Status.RUNNING, "execution_one_running_per_job"),
        (Status.PENDING, "job_claim"),
        (Status.DEAD_LETTER, "job_notable"),
    ],
)
def test_a_partial_index_serves_the_list_by_state(status: Status, index: str) -> None:
    make_job(status)
    make_history(3_000)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE jobs_job, jobs_jobexecution")
    plan = queries.in_status(Job.objects.all(), status).order_by("-id")[:51].explain()
    assert index in plan, plan
