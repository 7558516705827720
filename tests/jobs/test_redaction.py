import pytest

from jobs.models import Job
from jobs.redaction import MASK, redacted, sensitive_names, shown_arguments

KEEP_SECRET = "tests.sample_app.tasks.keep_secret"
ECHO = "tests.sample_app.tasks.echo"


def test_a_task_declares_its_sensitive_names() -> None:
    assert sensitive_names(KEEP_SECRET) == {"password"}
    assert sensitive_names(ECHO) == frozenset()


def test_a_task_that_is_not_known_here_declares_none() -> None:
    assert sensitive_names("gone.tasks.vanished") == frozenset()


def test_named_values_are_masked_at_any_depth() -> None:
    value = {"pin": 1, "rows": [{"pin": 2, "id": 3}], "other": {"pin": {"deep": 4}}}
    assert redacted(value, frozenset({"pin"})) == {
        "pin": MASK,
        "rows": [{"pin": MASK, "id": 3}],
        "other": {"pin": MASK},
    }


@pytest.mark.parametrize(
    "name", ["password", "DB_PASSWORD", "apiToken", "Authorization", "X-Api-Key", "client_secret"]
)
def test_names_that_mean_a_secret_are_masked_whatever_the_task_says(name: str) -> None:
    assert redacted({name: "x"}, frozenset()) == {name: MASK}


@pytest.mark.parametrize("name", ["customer_id", "tokenizer", "passwordless", "secretary", "key"])
def test_names_that_only_look_like_it_are_shown(name: str) -> None:
    assert redacted({name: "x"}, frozenset()) == {name: "x"}


def test_a_sensitive_argument_is_masked_however_it_was_given() -> None:
    assert shown_arguments(Job(task=KEEP_SECRET, args=["x"])) == ([MASK], {})
    assert shown_arguments(Job(task=KEEP_SECRET, kwargs={"password": "x"})) == (
        [],
        {"password": MASK},
    )


def test_positions_count_without_the_context() -> None:
    job = Job(task="tests.sample_app.tasks.identify", args=["/path"])
    assert shown_arguments(job) == (["/path"], {})


def test_more_arguments_than_the_task_takes_are_shown_all_the_same() -> None:
    assert shown_arguments(Job(task=ECHO, args=[1, 2, 3])) == ([1, 2, 3], {})


def test_arguments_of_an_unknown_task_are_shown_but_for_suspect_names() -> None:
    job = Job(task="gone.tasks.vanished", args=[1], kwargs={"token": 2, "id": 3})
    assert shown_arguments(job) == ([1], {"token": MASK, "id": 3})
