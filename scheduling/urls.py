"""Addresses of the scheduling app."""

from django.urls import path

from scheduling.views import (
    backfill,
    bulk,
    crontabs,
    detail,
    form,
    history,
    lists,
    timeline,
    verbs,
)

app_name = "scheduling"

urlpatterns = [
    path("", lists.schedule_list, name="list"),
    path("new/", form.new, name="new"),
    path("preview/", form.preview, name="preview"),
    path("task-help/", form.help_on_task, name="task-help"),
    path("bulk/", bulk.bulk, name="bulk"),
    path("timeline/", timeline.next_day, name="timeline"),
    path("import/", crontabs.crontab_import, name="import"),
    path("<int:schedule_id>/", detail.schedule_detail, name="detail"),
    path("<int:schedule_id>/edit/", form.edit, name="edit"),
    path("<int:schedule_id>/backfill/", backfill.backfill, name="backfill"),
    path("<int:schedule_id>/history/", history.history, name="history"),
    path("<int:schedule_id>/question/<slug:verb>/", verbs.question, name="question"),
    path("<int:schedule_id>/run/", verbs.run, name="run"),
    path("<int:schedule_id>/pause/", verbs.pause, name="pause"),
    path("<int:schedule_id>/resumption/", verbs.resumption, name="resumption"),
    path("<int:schedule_id>/restoration/", verbs.restoration, name="restoration"),
    path("<int:schedule_id>/clearance/", verbs.clearance, name="clearance"),
    path("<int:schedule_id>/deletion/", verbs.deletion, name="deletion"),
]
