"""The login form: shape and limits. Whether the pair is right is for `authentication` to say."""

from django import forms

from accounts import passwords


class LoginForm(forms.Form):
    email = forms.CharField(
        label="E-mail address",
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "username", "autofocus": True}),
    )
    password = forms.CharField(
        label="Password",
        max_length=passwords.MAX_LENGTH,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
