"""Addresses of the accounts app."""

from django.urls import path

from accounts import views

urlpatterns = [
    path("login/", views.login, name="login"),
    path("logout/", views.logout, name="logout"),
]
