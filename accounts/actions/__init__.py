"""What may be done to accounts."""

from accounts.actions.first_admin import FirstAdmin, create_admin_once, ensure_first_admin
from accounts.actions.people import change_password, create_user, set_role, set_status

__all__ = [
    "FirstAdmin",
    "change_password",
    "create_admin_once",
    "create_user",
    "ensure_first_admin",
    "set_role",
    "set_status",
]
