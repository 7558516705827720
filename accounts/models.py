"""People who may sign in. Roles are Django groups (roles.py): a host project's user model works."""

from typing import ClassVar

from django.contrib.auth.models import (
    AbstractBaseUser,
    BaseUserManager,
    PermissionsMixin,
)
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower, Now


class UserManager(BaseUserManager["User"]):
    def get_by_natural_key(self, username: str | None) -> "User":
        """By e-mail address, whatever its case."""
        return self.get(email__iexact=(username or "").strip())

    def create_user(self, email: str, password: str | None = None) -> "User":
        """A user without roles; the address is trimmed and lower-cased."""
        user = self.model(email=email.strip().lower())
        user.set_password(password)
        user.save(using=self._db)
        return user


class User(AbstractBaseUser, PermissionsMixin):
    """Signs in with an e-mail address. Only ACTIVE accounts may."""

    class Status(models.TextChoices):
        ACTIVE = "ACTIVE"
        LOCKED = "LOCKED"
        DISABLED = "DISABLED"

    #: Always lower case, so that one address is one account.
    email = models.EmailField(max_length=254, unique=True)
    status = models.CharField(
        max_length=10,
        choices=Status.choices,
        default=Status.ACTIVE,
        db_default=Status.ACTIVE,
    )
    is_staff = models.BooleanField(default=False, db_default=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        constraints = (
            models.CheckConstraint(condition=Q(email=Lower("email")), name="user_email_lower_case"),
            models.CheckConstraint(
                condition=Q(status__in=["ACTIVE", "LOCKED", "DISABLED"]),
                name="user_status_known",
            ),
        )

    def __str__(self) -> str:
        return self.email

    @property
    def is_active(self) -> bool:  # type: ignore[override]  # Django's flag, told by the status
        return self.status == self.Status.ACTIVE
