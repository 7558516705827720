"""Reads about people."""

from django.db.models import QuerySet
from django.db.models.functions import Now

from accounts.models import ApiSession, PersonalToken, User
from accounts.roles import ADMIN

#: Most sessions or tokens of one person that are listed.
MAX_LISTED = 200


def people() -> QuerySet[User]:
    """Everybody, by e-mail address, with their groups at hand."""
    return User.objects.prefetch_related("groups").order_by("email")


def person(user_id: int) -> User | None:
    """One account with its groups at hand."""
    return people().filter(pk=user_id).first()


def person_with_email(email: str) -> User | None:
    """The account of an address, whatever its case and surrounding space."""
    return User.objects.filter(email=normal_email(email)).first()


def first_active_admin() -> User | None:
    """The oldest account that may administer now."""
    admins = User.objects.filter(groups__name=ADMIN, status=User.Status.ACTIVE)
    return admins.order_by("id").first()


def live_api_sessions(user_id: int) -> list[ApiSession]:
    """A person's sessions with the API that can still be refreshed; the latest MAX_LISTED."""
    live = ApiSession.objects.filter(user_id=user_id, revoked_at__isnull=True, expires_at__gt=Now())
    return list(live.order_by("-id")[:MAX_LISTED])


def personal_tokens(user_id: int) -> list[PersonalToken]:
    """A person's tokens that are not revoked, expired ones too; the latest MAX_LISTED."""
    kept = PersonalToken.objects.filter(user_id=user_id, revoked_at__isnull=True)
    return list(kept.order_by("-id")[:MAX_LISTED])


def normal_email(email: str) -> str:
    """An address as accounts keep it: one address is one account."""
    return email.strip().lower()
