"""Addresses of the scheduling app."""

from django.urls import path

from scheduling import views

app_name = "scheduling"

urlpatterns = [
    path("", views.schedule_list, name="list"),
    path("<int:schedule_id>/", views.schedule_detail, name="detail"),
    path("<int:schedule_id>/run/", views.run, name="run"),
    path("<int:schedule_id>/pause/", views.pause, name="pause"),
    path("<int:schedule_id>/resumption/", views.resumption, name="resumption"),
    path("<int:schedule_id>/restoration/", views.restoration, name="restoration"),
    path("<int:schedule_id>/clearance/", views.clearance, name="clearance"),
    path("<int:schedule_id>/deletion/", views.deletion, name="deletion"),
]
