"""Work of the host's letters."""

from django.tasks import task


@task
def send_digest(customer: int) -> int:
    """Tell a customer what happened this week."""
    return customer
