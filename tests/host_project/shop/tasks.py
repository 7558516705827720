"""Work of the host's shop."""

from django.tasks import task


@task
def close_day(shop: str = "all") -> str:
    """Add up what a shop has sold."""
    return shop
