"""Jobs, their executions and logs, queues and workers: columns, constraints and indexes; no verbs.

The hot row is `Job`. It stays narrow: results, errors and logs lie elsewhere, and arguments beyond
a few hundred bytes are moved out of the row by the storage options of migration 0002. Its indexes
are partial so that a job that just succeeds pays for two of them (primary key, claim). See
docs/adr/0003-hot- rows.md.
"""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from jobs import lifecycle
from jobs.lifecycle import Outcome, Status
from jobs.querysets import ExecutionQuerySet, JobQuerySet, QueueQuerySet, WorkerQuerySet


class Trigger(models.TextChoices):
    """What brought a job about."""

    CODE = "code"
    PAGE = "page"
    API = "api"
    COMMAND = "command"
    SCHEDULE = "schedule"


class Job(models.Model):
    """One requested run of a task with its arguments."""

    #: Dotted path of the task.
    task = models.CharField(max_length=255)
    queue = models.CharField(max_length=100, default="default", db_default="default")
    #: -100 to 100, higher first.
    priority = models.SmallIntegerField(default=0, db_default=0)
    status = models.CharField(max_length=20, choices=Status.choices, default=Status.PENDING)
    #: Why it came to this state, where the state alone does not tell: "crashed", "missing_task" ...
    reason = models.CharField(max_length=100, blank=True, default="", db_default="")
    args = models.JSONField(default=list, db_default=[])
    kwargs = models.JSONField(default=dict, db_default={})
    max_attempts = models.SmallIntegerField(default=4, db_default=4)
    #: Seconds an attempt may take; null: the task's own, or none.
    timeout_seconds = models.FloatField(null=True, blank=True)
    #: Executions so far, whatever became of them: the number of the last one.
    executions_made = models.IntegerField(default=0, db_default=0)
    #: Executions that count against max_attempts, since the last manual retry.
    attempts_charged = models.SmallIntegerField(default=0, db_default=0)
    #: Needs a child process of its own: its task asks for one, or it is a suspect. Executors claim
    #: these apart, since threads and children are filled apart.
    isolated = models.BooleanField(default=False, db_default=False)
    #: A process died while this job was running in it: it runs next alone in a child process.
    suspect = models.BooleanField(default=False, db_default=False)
    crashes_alone = models.SmallIntegerField(default=0, db_default=0)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.DB_SET_NULL,
        related_name="+",
        db_index=False,
    )
    trigger = models.CharField(
        max_length=10,
        choices=Trigger.choices,
        default=Trigger.CODE,
        db_default=Trigger.CODE,
    )
    #: Id of what the trigger names (a schedule's, a job's); plain, since `jobs` knows nothing above
    #: it.
    trigger_id = models.BigIntegerField(null=True, blank=True)
    #: At most one unfinished job per key.
    unique_key = models.CharField(max_length=255, null=True, blank=True)
    overlap_key = models.CharField(max_length=100, null=True, blank=True)
    #: BLOCKED until no unfinished job holds this overlap key; it then takes the key over.
    waits_for_key = models.CharField(max_length=100, null=True, blank=True)
    #: At most one job per owner and key, for ever.
    idempotency_key = models.CharField(max_length=255, null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    #: Since when it is claimable; a retry queues again behind its equals.
    queued_at = models.DateTimeField(null=True, blank=True)
    run_after = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    cancel_requested_at = models.DateTimeField(null=True, blank=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        constraints = (
            models.CheckConstraint(condition=lifecycle.KNOWN_STATUS, name="job_status_known"),
            models.CheckConstraint(
                condition=lifecycle.FINISHED_AT_MATCHES,
                name="job_finished_at_matches_status",
            ),
            models.CheckConstraint(
                condition=lifecycle.RUN_AFTER_MATCHES,
                name="job_run_after_matches_status",
            ),
            models.CheckConstraint(
                condition=lifecycle.QUEUED_AT_MATCHES, name="job_queued_at_when_pending"
            ),
            models.CheckConstraint(
                condition=Q(priority__gte=-100, priority__lte=100),
                name="job_priority_in_range",
            ),
            models.CheckConstraint(
                condition=Q(max_attempts__gte=1, max_attempts__lte=21),
                name="job_max_attempts_in_range",
            ),
            models.CheckConstraint(
                condition=lifecycle.WAITS_MATCHES_STATUS, name="job_waits_for_key_when_blocked"
            ),
            models.UniqueConstraint(
                fields=["unique_key"],
                condition=Q(
                    unique_key__isnull=False,
                    status__in=[str(s) for s in lifecycle.UNFINISHED],
                ),
                name="job_unique_while_unfinished",
            ),
            models.UniqueConstraint(
                fields=["overlap_key"],
                condition=Q(
                    overlap_key__isnull=False,
                    status__in=[str(s) for s in lifecycle.UNFINISHED],
                ),
                name="job_overlap_while_unfinished",
            ),
            models.UniqueConstraint(
                fields=["owner", "idempotency_key"],
                condition=Q(idempotency_key__isnull=False),
                nulls_distinct=False,
                name="job_idempotency_per_owner",
            ),
        )
        indexes = (
            # The claim, and the list of pending jobs. Holds PENDING rows only, whatever the table
            # holds.
            models.Index(
                F("queue"),
                F("isolated"),
                F("priority").desc(),
                F("queued_at"),
                F("id"),
                condition=Q(status=str(Status.PENDING)),
                name="job_claim",
            ),
            # Promotion of due jobs, and the next time at which an executor must wake.
            models.Index(
                fields=["run_after"],
                condition=Q(status__in=[str(s) for s in lifecycle.TIMED]),
                name="job_timed",
            ),
            # The jobs list by state, for every state but those of a job that just works.
            models.Index(
                fields=["status", "id"],
                condition=Q(status__in=[str(s) for s in lifecycle.NOTABLE]),
                name="job_notable",
            ),
            # Who is next when an overlap key becomes free.
            models.Index(
                fields=["waits_for_key", "id"],
                condition=Q(status=str(Status.BLOCKED), waits_for_key__isnull=False),
                name="job_waiting",
            ),
            # "Jobs of this schedule"; jobs without such a trigger do not pay for it.
            models.Index(
                fields=["trigger_id", "id"],
                condition=Q(trigger_id__isnull=False),
                name="job_by_trigger",
            ),
            # "My jobs".
            models.Index(
                fields=["owner", "id"],
                condition=Q(owner__isnull=False),
                name="job_by_owner",
            ),
        )

    def __str__(self) -> str:
        return f"{self.id} {self.task}"

    @property
    def task_name(self) -> str:
        """The task's short name, as people say it."""
        return self.task.rpartition(".")[2]


class JobExecution(models.Model):
    """One attempt at a job, with its lease; never reused, never renumbered."""

    job = models.ForeignKey(
        Job, on_delete=models.DB_CASCADE, related_name="executions", db_index=False
    )
    #: 1, 2, 3 ... without gaps, interrupted ones included.
    number = models.IntegerField()
    #: The worker that claimed it. No constraint in the database: it would cost a check for each
    #: claim.
    worker_id = models.BigIntegerField()
    status = models.CharField(max_length=20, choices=Outcome.choices, default=Outcome.RUNNING)
    claimed_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    lease_expires_at = models.DateTimeField()
    #: It counts against the job's max_attempts.
    charged = models.BooleanField(default=False, db_default=False)
    #: It ran alone in a child process, as a suspect or because the task asks for it.
    alone = models.BooleanField(default=False, db_default=False)
    error_code = models.CharField(max_length=64, blank=True, default="", db_default="")
    error_class = models.CharField(max_length=255, blank=True, default="", db_default="")
    error_message = models.TextField(blank=True, default="", db_default="")
    traceback = models.TextField(blank=True, default="", db_default="")
    result = models.JSONField(null=True, blank=True)
    progress_done = models.FloatField(null=True, blank=True)
    progress_total = models.FloatField(null=True, blank=True)
    progress_message = models.CharField(max_length=255, blank=True, default="", db_default="")

    objects = ExecutionQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["job", "number"], name="execution_number_once"),
            # Also what the keeper, the watchdog and the workers page look through: it holds RUNNING
            # rows only.
            models.UniqueConstraint(
                fields=["job"],
                condition=Q(status=str(Outcome.RUNNING)),
                name="execution_one_running_per_job",
            ),
            models.CheckConstraint(
                condition=lifecycle.KNOWN_OUTCOME, name="execution_status_known"
            ),
            models.CheckConstraint(
                condition=lifecycle.OUTCOME_FINISHED_AT_MATCHES,
                name="execution_finished_at_matches_status",
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="execution_number_from_1"),
        )

    def __str__(self) -> str:
        return f"{self.job_id}#{self.number}"

    def is_held_by(self, worker_id: int) -> bool:
        """RUNNING in the name of this worker: the fence of everything an executor reports."""
        return self.status == Outcome.RUNNING and self.worker_id == worker_id

    @property
    def duration_ms(self) -> int | None:
        """Milliseconds from start to end, when both are known."""
        if self.started_at is None or self.finished_at is None:
            return None
        return round((self.finished_at - self.started_at).total_seconds() * 1000)


class ExecutionLog(models.Model):
    """A piece of what an execution logged or printed. Executions that say nothing have none."""

    class Stream(models.TextChoices):
        LOG = "log"
        STDOUT = "stdout"
        STDERR = "stderr"

    execution = models.ForeignKey(
        JobExecution,
        on_delete=models.DB_CASCADE,
        related_name="log_chunks",
        db_index=False,
    )
    sequence = models.IntegerField()
    stream = models.CharField(max_length=6, choices=Stream.choices)
    written_at = models.DateTimeField(db_default=Now())
    text = models.TextField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["execution", "sequence"], name="log_sequence_once"),
        )

    def __str__(self) -> str:
        return f"{self.execution_id}:{self.sequence}"


class Queue(models.Model):
    """Settings of a named lane. A queue works without a row; a row is made when it is paused."""

    name = models.CharField(max_length=100, unique=True)
    paused_at = models.DateTimeField(null=True, blank=True)
    paused_by = models.CharField(max_length=150, blank=True, default="", db_default="")
    pause_reason = models.CharField(max_length=255, blank=True, default="", db_default="")
    paused_until = models.DateTimeField(null=True, blank=True)

    objects = QueueQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name


class Worker(models.Model):
    """A live executor, scheduler or watchdog process as it last reported itself. A restart is a new
    row.
    """

    class Kind(models.TextChoices):
        EXECUTOR = "executor"
        SCHEDULER = "scheduler"
        WATCHDOG = "watchdog"

    kind = models.CharField(max_length=10, choices=Kind.choices)
    host = models.CharField(max_length=255)
    pid = models.IntegerField()
    version = models.CharField(max_length=50, blank=True, default="", db_default="")
    #: Queues it serves; empty: all.
    queues = models.JSONField(default=list, db_default=[])
    #: Dotted paths of the tasks it knows; only executors have them.
    tasks = models.JSONField(default=list, db_default=[])
    slots = models.IntegerField(default=0, db_default=0)
    started_at = models.DateTimeField(db_default=Now())
    reported_at = models.DateTimeField(db_default=Now())
    stopped_at = models.DateTimeField(null=True, blank=True)

    objects = WorkerQuerySet.as_manager()

    class Meta:
        indexes: ClassVar = [
            models.Index(
                fields=["reported_at"],
                condition=Q(stopped_at__isnull=True),
                name="worker_live",
            ),
        ]

    def __str__(self) -> str:
        return self.label

    @property
    def label(self) -> str:
        """How people name it: kind@host:pid."""
        return f"{self.kind}@{self.host}:{self.pid}"
