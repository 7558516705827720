"""The first administrator of a production installation, from its environment."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from accounts.actions import create_admin_once
from controlplane.errors import InvalidInput


class Command(BaseCommand):
    help = (
        "Make the administrator that BOOTSTRAP_ADMIN_EMAIL and BOOTSTRAP_ADMIN_PASSWORD (or "
        "BOOTSTRAP_ADMIN_PASSWORD_FILE) name. Safe to repeat: a present account is left as it is."
    )

    def handle(self, *_args: Any, **_options: Any) -> None:
        email: str = settings.BOOTSTRAP_ADMIN_EMAIL.strip()
        password: str = settings.BOOTSTRAP_ADMIN_PASSWORD
        if not email or not password:
            self.stderr.write(
                "No administrator made: BOOTSTRAP_ADMIN_EMAIL or BOOTSTRAP_ADMIN_PASSWORD is blank."
            )
            return
        try:
            person, created = create_admin_once(email=email, password=password)
        except InvalidInput as error:
            raise CommandError(f"BOOTSTRAP_ADMIN_{error.field.upper()}: {error.message}") from error
        outcome = "made" if created else "exists already; it was left as it is"
        self.stdout.write(f"Administrator {person.email} {outcome}.")
