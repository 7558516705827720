"""The shapes of what the accounts' API takes and gives."""

from rest_framework import serializers

from accounts.models import PersonalToken, User
from accounts.passwords import MAX_LENGTH
from accounts.roles import ROLES
from controlplane.rest.serializers import Input, Output


class LoginInput(Input):
    email = serializers.CharField(max_length=254)
    password = serializers.CharField(max_length=MAX_LENGTH, trim_whitespace=False)


class RefreshInput(Input):
    refresh_token = serializers.CharField(max_length=200)


class TokensOutput(Output):
    access_token = serializers.CharField(help_text="A JWT for the Authorization header.")
    refresh_token = serializers.CharField(help_text="Works once; each refresh gives a new one.")
    token_type = serializers.CharField(help_text="Always Bearer.")
    expires_in = serializers.IntegerField(help_text="Seconds that the access token lasts.")
    refresh_expires_at = serializers.DateTimeField()


class MeOutput(Output):
    id = serializers.IntegerField()
    email = serializers.CharField()
    roles = serializers.ListField(
        child=serializers.ChoiceField(ROLES), help_text="The roles that this token grants."
    )
    token_kind = serializers.ChoiceField(["access", "personal"])
    can_write = serializers.BooleanField()


class PasswordInput(Input):
    current = serializers.CharField(max_length=MAX_LENGTH, trim_whitespace=False)
    password = serializers.CharField(max_length=MAX_LENGTH, trim_whitespace=False)


class SessionOutput(Output):
    id = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    used_at = serializers.DateTimeField(help_text="The time of its last refresh.")
    expires_at = serializers.DateTimeField()
    ip_address = serializers.CharField(allow_null=True)
    user_agent = serializers.CharField()
    is_current = serializers.BooleanField()


class SessionsOutput(Output):
    items = SessionOutput(many=True)


class PersonalTokenInput(Input):
    name = serializers.CharField(max_length=100)
    scope = serializers.ChoiceField(PersonalToken.Scope.choices)
    expires_in_days = serializers.IntegerField(min_value=1, max_value=366, default=90)


class PersonalTokenOutput(Output):
    id = serializers.IntegerField()
    name = serializers.CharField()
    prefix = serializers.CharField(help_text="How the token begins.")
    scope = serializers.ChoiceField(PersonalToken.Scope.choices)
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    used_at = serializers.DateTimeField(allow_null=True)


class NewPersonalTokenOutput(PersonalTokenOutput):
    token = serializers.CharField(help_text="The token itself: shown this once.")


class PersonalTokensOutput(Output):
    items = PersonalTokenOutput(many=True)


class UserOutput(Output):
    id = serializers.IntegerField()
    email = serializers.CharField()
    status = serializers.ChoiceField(User.Status.choices)
    role = serializers.CharField(help_text="The most powerful role; empty without any.")
    created_at = serializers.DateTimeField()
    last_login = serializers.DateTimeField(allow_null=True)


class NewUserInput(Input):
    email = serializers.CharField(max_length=254)
    password = serializers.CharField(max_length=MAX_LENGTH, trim_whitespace=False)
    role = serializers.ChoiceField(ROLES, default="USER")


class UserPatchInput(Input):
    role = serializers.ChoiceField(ROLES, required=False)
    status = serializers.ChoiceField(User.Status.choices, required=False)
    reason = serializers.CharField(max_length=500, required=False, default="", allow_blank=True)
