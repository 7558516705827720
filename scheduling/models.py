"""Schedules and what became of each of their times: columns, constraints and indexes; no verbs."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from jobs.models import Job
from scheduling import lifecycle
from scheduling.lifecycle import MissedPolicy, OverlapPolicy, ScheduleStatus
from scheduling.querysets import JobScheduleQuerySet


class JobSchedule(models.Model):
    """A task with its arguments and the times at which it becomes a job."""

    name = models.CharField(max_length=150)
    description = models.TextField(blank=True, default="", db_default="")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.DB_SET_NULL,
        related_name="+",
        db_index=False,
    )
    #: Dotted path of the task.
    task = models.CharField(max_length=255)
    args = models.JSONField(default=list, db_default=[], blank=True)
    kwargs = models.JSONField(default=dict, db_default={}, blank=True)
    #: Empty: the task's own.
    queue = models.CharField(max_length=100, blank=True, default="", db_default="")
    #: Null in these three: the task's own, or the project's default.
    priority = models.SmallIntegerField(null=True, blank=True)
    max_attempts = models.SmallIntegerField(null=True, blank=True)
    timeout_seconds = models.FloatField(null=True, blank=True)
    #: In canonical form; empty: it has no times.
    cron = models.CharField(max_length=255, blank=True, default="", db_default="")
    #: Name of the IANA zone whose wall clock counts.
    timezone = models.CharField(max_length=64, default="UTC", db_default="UTC")
    schedule_status = models.CharField(
        max_length=20, choices=ScheduleStatus.choices, default=ScheduleStatus.UNSCHEDULED
    )
    #: Why the machine put it into its status; empty after a person did.
    status_reason = models.TextField(blank=True, default="", db_default="")
    overlap_policy = models.CharField(
        max_length=20,
        choices=OverlapPolicy.choices,
        default=OverlapPolicy.SKIP,
        db_default=OverlapPolicy.SKIP,
    )
    missed_policy = models.CharField(
        max_length=20,
        choices=MissedPolicy.choices,
        default=MissedPolicy.RUN_ONCE,
        db_default=MissedPolicy.RUN_ONCE,
    )
    next_run_at = models.DateTimeField(null=True, blank=True)
    last_fired_at = models.DateTimeField(null=True, blank=True)
    #: Where an import got it from ("crontab:..."), so that a repeated import finds it again.
    import_key = models.CharField(max_length=100, null=True, blank=True)
    #: Counts edits by people, so that a stale edit is noticed. Firing leaves it alone.
    version = models.IntegerField(default=1, db_default=1)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    updated_at = models.DateTimeField(db_default=Now(), editable=False)
    deleted_at = models.DateTimeField(null=True, blank=True)

    objects = JobScheduleQuerySet.as_manager()

    class Meta:
        constraints = (
            models.CheckConstraint(condition=lifecycle.KNOWN_STATUS, name="schedule_status_known"),
            models.CheckConstraint(
                condition=lifecycle.CRON_MATCHES_STATUS, name="schedule_cron_matches_status"
            ),
            models.CheckConstraint(
                condition=lifecycle.NEXT_RUN_MATCHES_STATUS,
                name="schedule_next_run_matches_status",
            ),
            models.CheckConstraint(
                condition=Q(deleted_at__isnull=True)
                | ~Q(schedule_status=str(ScheduleStatus.ENABLED)),
                name="schedule_deleted_is_not_enabled",
            ),
            models.CheckConstraint(
                condition=Q(overlap_policy__in=[str(p) for p in OverlapPolicy]),
                name="schedule_overlap_policy_known",
            ),
            models.CheckConstraint(
                condition=Q(missed_policy__in=[str(p) for p in MissedPolicy]),
                name="schedule_missed_policy_known",
            ),
            models.CheckConstraint(
                condition=Q(priority__isnull=True) | Q(priority__gte=-100, priority__lte=100),
                name="schedule_priority_in_range",
            ),
            models.CheckConstraint(
                condition=Q(max_attempts__isnull=True)
                | Q(max_attempts__gte=1, max_attempts__lte=21),
                name="schedule_max_attempts_in_range",
            ),
            models.CheckConstraint(
                condition=Q(timeout_seconds__isnull=True) | Q(timeout_seconds__gt=0),
                name="schedule_timeout_positive",
            ),
            # Schedules without an owner share one space of names; deleted ones free theirs.
            models.UniqueConstraint(
                fields=["owner", "name"],
                condition=Q(deleted_at__isnull=True),
                nulls_distinct=False,
                name="schedule_name_once_per_owner",
            ),
            models.UniqueConstraint(
                fields=["import_key"],
                condition=Q(import_key__isnull=False, deleted_at__isnull=True),
                name="schedule_import_key_once",
            ),
        )
        indexes = (
            # What the scheduler looks for, and the time until which it may sleep.
            models.Index(
                fields=["next_run_at"],
                condition=Q(schedule_status=str(ScheduleStatus.ENABLED)),
                name="schedule_due",
            ),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def task_name(self) -> str:
        """The task's short name, as people say it."""
        return self.task.rpartition(".")[2]

    @property
    def overlap_key(self) -> str:
        """What at most one unfinished job of the schedule holds, unless overlap is allowed."""
        return f"schedule:{self.id}"


class Firing(models.Model):
    """What became of one time of a schedule. Its existence is why no time is fired twice."""

    class Kind(models.TextChoices):
        DUE = "due"
        BACKFILL = "backfill"
        MANUAL = "manual"

    class Outcome(models.TextChoices):
        ENQUEUED = "enqueued"
        SKIPPED_OVERLAP = "skipped_overlap", "skipped: an earlier job is unfinished"
        MISSED = "missed"

    schedule = models.ForeignKey(
        JobSchedule, on_delete=models.DB_CASCADE, related_name="firings", db_index=False
    )
    #: The time it stands for; the time it was dealt with is `fired_at`.
    nominal_time = models.DateTimeField()
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.DUE)
    outcome = models.CharField(max_length=20, choices=Outcome.choices)
    job = models.ForeignKey(
        Job, null=True, blank=True, on_delete=models.DB_SET_NULL, related_name="+", db_index=False
    )
    fired_at = models.DateTimeField(db_default=Now(), editable=False)
    #: What a reader of the history should know: how late, what else was missed.
    reason = models.CharField(max_length=255, blank=True, default="", db_default="")

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["schedule", "nominal_time", "kind"], name="firing_once"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["due", "backfill", "manual"]), name="firing_kind_known"
            ),
            models.CheckConstraint(
                condition=Q(outcome__in=["enqueued", "skipped_overlap", "missed"]),
                name="firing_outcome_known",
            ),
        )
        indexes = (
            # The database looks here when a job is deleted.
            models.Index(fields=["job"], condition=Q(job__isnull=False), name="firing_by_job"),
        )

    def __str__(self) -> str:
        return f"{self.schedule_id} {self.nominal_time.isoformat()} {self.outcome}"


class TableStatistics(models.Model):
    """PostgreSQL's own view of the tables; ours are those with the prefix of one of our apps."""

    relid = models.BigIntegerField(primary_key=True)
    relname = models.TextField()
    n_live_tup = models.BigIntegerField()
    n_dead_tup = models.BigIntegerField()

    class Meta:
        managed = False
        db_table = "pg_stat_user_tables"

    def __str__(self) -> str:
        return self.relname
