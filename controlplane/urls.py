"""The table of contents of the site."""

from django.urls import include, path

from controlplane import views
from controlplane.api import documents

urlpatterns = [
    path("", views.dashboard, name="dashboard"),
    path("healthz", views.healthz, name="healthz"),
    path("", include("accounts.urls")),
    path("jobs/", include("jobs.urls")),
    path("schedules/", include("scheduling.urls")),
    path("audit/", include("audit.urls")),
    path("api/docs/", documents.swagger_page, name="api-docs"),
    path("api/docs/schema.json", documents.schema_file, name="api-docs-schema"),
    path("api/v1/", include("controlplane.api.urls")),
]
