"""Addresses of the audit's API, under /api/v1/."""

from django.urls import path

from audit.api import events

urlpatterns = [
    path("audit", events.EventList.as_view(), name="audit"),
    path(
        "audit/targets/<str:target_type>/<int:target_id>",
        events.TargetEventList.as_view(),
        name="audit-target",
    ),
]
