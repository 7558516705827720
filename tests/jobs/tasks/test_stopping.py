import pytest

from jobs.errors import TaskCancelled, TaskTimedOut
from jobs.runtime.context import JobContext
from jobs.tasks.stopping import stopped


@pytest.mark.parametrize(
    ("reason", "kind", "message"),
    [
        ("timeout", TaskTimedOut, "The time was up: it was ended."),
        ("cancel", TaskCancelled, "Stopped (cancel): it was ended."),
        ("shutdown", TaskCancelled, "Stopped (shutdown): it was ended."),
    ],
)
def test_the_error_says_why_and_what_became_of_it(
    context: JobContext, reason: str, kind: type[Exception], message: str
) -> None:
    context.stop_requested.set(reason)
    error = stopped(context, "it was ended")
    assert type(error) is kind
    assert str(error) == message
