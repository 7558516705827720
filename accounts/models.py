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


class ApiSession(models.Model):
    """One sign-in to the API: the family of refresh tokens that followed from it."""

    user = models.ForeignKey(
        User, on_delete=models.DB_CASCADE, related_name="+", db_index=False, editable=False
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    #: Of its last refresh.
    used_at = models.DateTimeField(db_default=Now())
    #: When its latest refresh token ends.
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    #: Why it was revoked: "logout", "reuse" ...
    revoked_for = models.CharField(max_length=20, blank=True, default="", db_default="")
    ip_address = models.GenericIPAddressField(null=True, blank=True)
    user_agent = models.CharField(max_length=255, blank=True, default="", db_default="")

    class Meta:
        indexes = (models.Index(fields=["user", "id"], name="api_session_by_user"),)

    def __str__(self) -> str:
        return f"session {self.id} of user {self.user_id}"


class RefreshToken(models.Model):
    """A refresh token by its hash; a used one stays, so that its second use is recognised."""

    session = models.ForeignKey(
        ApiSession, on_delete=models.DB_CASCADE, related_name="tokens", db_index=False
    )
    #: SHA-256 of the token, hexadecimal.
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["session"],
                condition=Q(used_at__isnull=True),
                name="refresh_token_one_unused_per_session",
            ),
        )

    def __str__(self) -> str:
        return f"refresh token {self.id}"


class PersonalToken(models.Model):
    """A key that a person made for their scripts: the hash, and enough of it to tell it apart."""

    class Scope(models.TextChoices):
        READ = "read"  # looks only
        WRITE = "write"  # also changes things

    user = models.ForeignKey(
        User, on_delete=models.DB_CASCADE, related_name="+", db_index=False, editable=False
    )
    name = models.CharField(max_length=100)
    #: The beginning of the token, for people to recognise it.
    prefix = models.CharField(max_length=12)
    #: SHA-256 of the token, hexadecimal.
    digest = models.CharField(max_length=64, unique=True)
    scope = models.CharField(max_length=10, choices=Scope.choices)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField()
    #: To the minute.
    used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(scope__in=["read", "write"]), name="personal_token_scope_known"
            ),
        )
        indexes = (models.Index(fields=["user", "id"], name="personal_token_by_user"),)

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"
