"""What an app brings that has never heard of us: nothing here but Django's own interface."""

from django.tasks import TaskContext, task


@task
def greet(name: str, *, punctuation: str = "!") -> str:
    return f"Hello, {name}{punctuation}"


@task(priority=10, queue_name="mail")
def send_newsletter(recipients: list[str]) -> dict[str, int]:
    return {"sent": len(recipients)}


@task(takes_context=True)
def which_attempt(context: TaskContext, wanted: int) -> int:
    if context.attempt < wanted:
        raise RuntimeError(f"attempt {context.attempt} of {wanted}")
    return context.attempt


@task
async def fetch(pages: int) -> list[int]:
    return list(range(pages))


@task
def divide(dividend: float, divisor: float) -> float:
    return dividend / divisor


def not_a_task() -> None:
    """A plain function in a tasks module is nobody's job."""
