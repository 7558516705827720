"""Addresses of the jobs app."""

from django.urls import path

from jobs.views import detail, lists, verbs

app_name = "jobs"

urlpatterns = [
    path("", lists.job_list, name="list"),
    path("<int:job_id>/", detail.job_detail, name="detail"),
    path("<int:job_id>/cancellation/", verbs.cancellation, name="cancellation"),
    path("<int:job_id>/retry/", verbs.retry, name="retry"),
    path("<int:job_id>/discard/", verbs.discard, name="discard"),
    path("<int:job_id>/verification/", verbs.verification, name="verification"),
]
