"""Addresses of the jobs' API, under /api/v1/."""

from django.urls import path

from jobs.api import blockers, executions, jobs, lanes, verbs

urlpatterns = [
    path("jobs", jobs.JobList.as_view(), name="jobs"),
    path("jobs/stats", jobs.JobStats.as_view(), name="job-stats"),
    path("jobs/bulk", verbs.Bulk.as_view(), name="job-bulk"),
    path("jobs/<int:job_id>", jobs.JobDetail.as_view(), name="job"),
    path("jobs/<int:job_id>/executions", executions.ExecutionList.as_view(), name="executions"),
    path(
        "jobs/<int:job_id>/executions/<int:number>",
        executions.ExecutionDetail.as_view(),
        name="execution",
    ),
    path("jobs/<int:job_id>/log", executions.JobLog.as_view(), name="job-log"),
    path("jobs/<int:job_id>/blockers", blockers.JobBlockers.as_view(), name="job-blockers"),
    path("jobs/<int:job_id>/cancel", verbs.Cancel.as_view(), name="job-cancel"),
    path("jobs/<int:job_id>/retry", verbs.Retry.as_view(), name="job-retry"),
    path("jobs/<int:job_id>/discard", verbs.Discard.as_view(), name="job-discard"),
    path("jobs/<int:job_id>/verification", verbs.Verification.as_view(), name="job-verification"),
    path("tasks", lanes.TaskList.as_view(), name="tasks"),
    path("queues", lanes.QueueList.as_view(), name="queues"),
    path("queues/<str:name>/pause", lanes.QueuePause.as_view(), name="queue-pause"),
    path("queues/<str:name>/resume", lanes.QueueResume.as_view(), name="queue-resume"),
    path("workers", lanes.WorkerList.as_view(), name="workers"),
]
