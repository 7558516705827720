"""Addresses of the schedules' API, under /api/v1/."""

from django.urls import path

from scheduling.api import history, schedules, verbs

ONE = "schedules/<int:schedule_id>"

urlpatterns = [
    path("schedules", schedules.ScheduleList.as_view(), name="schedules"),
    path("schedules/bulk", verbs.Bulk.as_view(), name="schedule-bulk"),
    path(ONE, schedules.ScheduleDetail.as_view(), name="schedule"),
    path(f"{ONE}/pause", verbs.Pause.as_view(), name="schedule-pause"),
    path(f"{ONE}/resume", verbs.Resume.as_view(), name="schedule-resume"),
    path(f"{ONE}/disable", verbs.Disable.as_view(), name="schedule-disable"),
    path(f"{ONE}/restore", verbs.Restore.as_view(), name="schedule-restore"),
    path(f"{ONE}/run", verbs.Run.as_view(), name="schedule-run"),
    path(f"{ONE}/backfill", verbs.Backfill.as_view(), name="schedule-backfill"),
    path(f"{ONE}/firings", history.FiringList.as_view(), name="firings"),
    path(f"{ONE}/executions", history.ScheduleExecutionList.as_view(), name="schedule-executions"),
]
