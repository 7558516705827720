"""The table of contents of the site."""

from django.urls import include, path

from controlplane import views

urlpatterns = [
    path("", views.dashboard, name="dashboard"),
    path("healthz", views.healthz, name="healthz"),
    path("", include("accounts.urls")),
    path("jobs/", include("jobs.urls")),
    path("schedules/", include("scheduling.urls")),
    path("audit/", include("audit.urls")),
]
