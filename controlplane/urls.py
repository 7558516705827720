"""The table of contents of the site."""

from django.urls import path

from controlplane import views

urlpatterns = [
    path("", views.dashboard, name="dashboard"),
    path("healthz", views.healthz, name="healthz"),
]
