"""Reads about people."""

from django.db.models import QuerySet

from accounts.models import User
from accounts.roles import ADMIN


def people() -> QuerySet[User]:
    """Everybody, by e-mail address, with their groups at hand."""
    return User.objects.prefetch_related("groups").order_by("email")


def person_with_email(email: str) -> User | None:
    """The account of an address, whatever its case and surrounding space."""
    return User.objects.filter(email=normal_email(email)).first()


def first_active_admin() -> User | None:
    """The oldest account that may administer now."""
    admins = User.objects.filter(groups__name=ADMIN, status=User.Status.ACTIVE)
    return admins.order_by("id").first()


def normal_email(email: str) -> str:
    """An address as accounts keep it: one address is one account."""
    return email.strip().lower()
