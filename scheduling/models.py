"""Schedules and what became of each of their times: columns, constraints and indexes; no verbs."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from jobs.models import Job
from scheduling import lifecycle
from scheduling.lifecycle import MissedPolicy, OverlapPolicy, ScheduleStatus
from scheduling.querysets import JobScheduleQuerySet
from scheduling.times import MAX_INTERVAL, Times

MAX_INTERVAL_DAYS = MAX_INTERVAL.days
MAX_INTERVAL_SECONDS = MAX_INTERVAL_DAYS * 86_400
MAX_JITTER_SECONDS = 3600
#: How far back missed times are made up for unless a schedule says otherwise: a day.
MISSED_WINDOW_SECONDS = 86_400
MIN_WINDOW_SECONDS = 60
MISSED_LIMIT = 10
MAX_MISSED = 1000


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
    #: Words by which people group schedules.
    tags = models.JSONField(default=list, db_default=[], blank=True)
    #: In canonical form. At most one of this, the two intervals and run_at names its times.
    cron = models.CharField(max_length=255, blank=True, default="", db_default="")
    #: Name of the IANA zone whose wall clock counts.
    timezone = models.CharField(max_length=64, default="UTC", db_default="UTC")
    #: Elapsed time between two times, or days from one wall time to the same one ...
    interval_seconds = models.IntegerField(null=True, blank=True)
    interval_days = models.SmallIntegerField(null=True, blank=True)
    #: ... counted from here.
    anchor_at = models.DateTimeField(null=True, blank=True)
    #: Its one and only time.
    run_at = models.DateTimeField(null=True, blank=True)
    #: First and last moment at which it may fire.
    starts_at = models.DateTimeField(null=True, blank=True)
    ends_at = models.DateTimeField(null=True, blank=True)
    #: Each job starts up to so much after its time, seconds; how much depends on the time alone.
    jitter_seconds = models.IntegerField(default=0, db_default=0)
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
    #: Times missed longer ago are not made up for, seconds.
    missed_window_seconds = models.IntegerField(
        default=MISSED_WINDOW_SECONDS, db_default=MISSED_WINDOW_SECONDS
    )
    #: With run_all: most jobs made for missed times.
    missed_limit = models.SmallIntegerField(default=MISSED_LIMIT, db_default=MISSED_LIMIT)
    next_run_at = models.DateTimeField(null=True, blank=True)
    #: Since when its times pass unfired, once it was ENABLED.
    quiet_since = models.DateTimeField(null=True, blank=True)
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
                condition=lifecycle.TIMES_MATCH_STATUS, name="schedule_times_match_status"
            ),
            models.CheckConstraint(
                condition=lifecycle.ONE_KIND_OF_TIMES, name="schedule_one_kind_of_times"
            ),
            models.CheckConstraint(
                condition=lifecycle.ANCHOR_MATCHES_INTERVAL, name="schedule_anchor_with_interval"
            ),
            models.CheckConstraint(
                condition=Q(interval_seconds__isnull=True)
                | Q(interval_seconds__gte=1, interval_seconds__lte=MAX_INTERVAL_SECONDS),
                name="schedule_interval_seconds_in_range",
            ),
            models.CheckConstraint(
                condition=Q(interval_days__isnull=True)
                | Q(interval_days__gte=1, interval_days__lte=MAX_INTERVAL_DAYS),
                name="schedule_interval_days_in_range",
            ),
            models.CheckConstraint(
                condition=Q(starts_at__isnull=True)
                | Q(ends_at__isnull=True)
                | Q(ends_at__gt=F("starts_at")),
                name="schedule_ends_after_start",
            ),
            models.CheckConstraint(
                condition=Q(jitter_seconds__gte=0, jitter_seconds__lte=MAX_JITTER_SECONDS),
                name="schedule_jitter_in_range",
            ),
            models.CheckConstraint(
                condition=Q(
                    missed_window_seconds__gte=MIN_WINDOW_SECONDS,
                    missed_window_seconds__lte=MAX_INTERVAL_SECONDS,
                ),
                name="schedule_missed_window_in_range",
            ),
            models.CheckConstraint(
                condition=Q(missed_limit__gte=1, missed_limit__lte=MAX_MISSED),
                name="schedule_missed_limit_in_range",
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
    def times(self) -> Times:
        """What names its times; false when nothing does."""
        return Times(
            cron=self.cron,
            timezone=self.timezone,
            interval_seconds=self.interval_seconds,
            interval_days=self.interval_days,
            anchor_at=self.anchor_at,
            run_at=self.run_at,
            starts_at=self.starts_at,
            ends_at=self.ends_at,
        )

    @property
    def overlap_key(self) -> str:
        """What at most one unfinished job of the schedule holds, unless overlap is allowed."""
        return f"schedule:{self.id}"


#: Outcomes of a firing that made a job, and those of one that did not.
WITH_JOB = ("enqueued", "late", "buffered", "cancelled_running")
WITHOUT_JOB = ("skipped_overlap", "skipped_paused", "coalesced", "missed")
OUTCOMES = (*WITH_JOB, *WITHOUT_JOB)


class Firing(models.Model):
    """What became of one time of a schedule. Its existence is why no time is fired twice."""

    class Kind(models.TextChoices):
        DUE = "due"
        BACKFILL = "backfill"
        MANUAL = "manual"

    class Outcome(models.TextChoices):
        ENQUEUED = "enqueued"
        LATE = "late", "late: made up for after it was missed"
        BUFFERED = "buffered", "buffered: its job waits for an earlier one"
        CANCELLED_RUNNING = "cancelled_running", "an earlier job was cancelled for it"
        SKIPPED_OVERLAP = "skipped_overlap", "skipped: an earlier job is unfinished"
        SKIPPED_PAUSED = "skipped_paused", "skipped: the schedule was paused"
        COALESCED = "coalesced", "coalesced: one job stands for several times"
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
    #: How long after its time the scheduler dealt with it, milliseconds; 0 unless it was due.
    lateness_ms = models.BigIntegerField(default=0, db_default=0)
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
            models.CheckConstraint(condition=Q(outcome__in=OUTCOMES), name="firing_outcome_known"),
        )
        indexes = (
            # The database looks here when a job is deleted.
            models.Index(fields=["job"], condition=Q(job__isnull=False), name="firing_by_job"),
        )

    def __str__(self) -> str:
        return f"{self.schedule_id} {self.nominal_time.isoformat()} {self.outcome}"

    @property
    def made_job(self) -> bool:
        """Whether this time became a job, which may be deleted since."""
        return self.outcome in WITH_JOB


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
