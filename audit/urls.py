"""Addresses of the audit app."""

from django.urls import path

from audit import views

app_name = "audit"

urlpatterns = [path("", views.event_list, name="list")]
