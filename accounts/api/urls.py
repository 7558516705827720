"""Addresses of the accounts' API, under /api/v1/."""

from django.urls import path

from accounts.api import auth, keys, users

urlpatterns = [
    path("auth/login", auth.Login.as_view(), name="login"),
    path("auth/refresh", auth.Refresh.as_view(), name="refresh"),
    path("auth/logout", auth.Logout.as_view(), name="logout"),
    path("auth/me", auth.Me.as_view(), name="me"),
    path("auth/password", auth.Password.as_view(), name="password"),
    path("auth/sessions", keys.SessionList.as_view(), name="sessions"),
    path("auth/sessions/<int:session_id>", keys.SessionDetail.as_view(), name="session"),
    path("tokens", keys.TokenList.as_view(), name="tokens"),
    path("tokens/<int:token_id>", keys.TokenDetail.as_view(), name="token"),
    path("users", users.UserList.as_view(), name="users"),
    path("users/<int:user_id>", users.UserDetail.as_view(), name="user"),
]
