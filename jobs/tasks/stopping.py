"""What a built-in task raises when it is asked to stop."""

from jobs.errors import TaskCancelled, TaskSignal, TaskTimedOut
from jobs.runtime.context import JobContext


def stopped(context: JobContext, what: str) -> TaskSignal:
    """The error that ends the attempt as what it was stopped for; `what` says what became of it."""
    if context.stop_reason == "timeout":
        return TaskTimedOut(f"The time was up: {what}.")
    return TaskCancelled(f"Stopped ({context.stop_reason or 'cancel'}): {what}.")
