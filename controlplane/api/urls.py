"""The table of contents of the API. No address of it ends with a slash."""

from django.urls import include, path, re_path

from controlplane.api import documents
from controlplane.api.views import Index, Unknown

app_name = "api"

urlpatterns = [
    path("", Index.as_view(), name="index"),
    path("", include("accounts.api.urls")),
    path("", include("audit.api.urls")),
    path("", include("jobs.api.urls")),
    path("", include("scheduling.api.urls")),
    path("schema", documents.Schema.as_view(), name="schema"),
    re_path(r".*", Unknown.as_view(), name="unknown"),
]
