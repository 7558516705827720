"""The table of contents of the site."""

from django.urls import include, path

from controlplane import conf, views
from controlplane.api import documents

urlpatterns = [
    path("", views.dashboard, name="dashboard"),
    path("healthz", views.healthz, name="healthz"),
    path("", include("accounts.urls")),
    path("jobs/", include("jobs.urls")),
    path(conf.options().schedules_path, include("scheduling.urls")),
    path("audit/", include("audit.urls")),
    path("api/docs/", documents.swagger_page, name="api-docs"),
    path("api/docs/schema.json", documents.schema_file, name="api-docs-schema"),
    path("api/v1/", include("controlplane.api.urls")),
]
