"""The shapes of what the jobs' API takes and gives."""

from typing import Any

from rest_framework import serializers

from controlplane.rest.serializers import Input, Output
from jobs.actions.bulk import MAX_JOBS, VERBS
from jobs.actions.transition import MAX_REASON
from jobs.actions.verify import DECISIONS
from jobs.lifecycle import Outcome, Status
from jobs.models import ExecutionLog, Trigger


class JobInput(Input):
    """What to run and how. Options left out are the task's own, or the project's."""

    task = serializers.CharField(max_length=255, help_text="Dotted path, as /tasks lists it.")
    args = serializers.ListField(child=serializers.JSONField(allow_null=True), default=list)
    kwargs = serializers.DictField(child=serializers.JSONField(allow_null=True), default=dict)
    queue = serializers.CharField(max_length=100, required=False)
    priority = serializers.IntegerField(min_value=-100, max_value=100, required=False)
    run_after = serializers.DateTimeField(required=False, help_text="Not before this time.")
    max_attempts = serializers.IntegerField(min_value=1, max_value=21, required=False)
    timeout_seconds = serializers.FloatField(min_value=0.001, max_value=31 * 86_400, required=False)
    unique_key = serializers.CharField(
        max_length=255, required=False, help_text="At most one unfinished job per key."
    )


class ReasonInput(Input):
    reason = serializers.CharField(
        max_length=MAX_REASON, required=False, default="", allow_blank=True
    )


class VerificationInput(ReasonInput):
    decision = serializers.ChoiceField(list(DECISIONS))


class BulkInput(ReasonInput):
    verb = serializers.ChoiceField(list(VERBS))
    ids = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=2**63 - 1),
        min_length=1,
        max_length=MAX_JOBS,
    )
    dry_run = serializers.BooleanField(default=False)


class BulkItemOutput(Output):
    id = serializers.IntegerField()
    done = serializers.BooleanField(help_text="With dry_run: whether it would be done now.")
    status = serializers.CharField(help_text="The state afterwards; empty for an unknown job.")
    code = serializers.CharField(help_text="Why it was refused; empty when done.")
    detail = serializers.CharField()


class BulkOutput(Output):
    dry_run = serializers.BooleanField()
    done = serializers.IntegerField()
    refused = serializers.IntegerField()
    items = BulkItemOutput(many=True)


class JobOutput(Output):
    id = serializers.IntegerField()
    task = serializers.CharField()
    queue = serializers.CharField()
    priority = serializers.IntegerField()
    status = serializers.ChoiceField(Status.choices)
    reason = serializers.CharField(help_text="Why it is in this state, where that is not plain.")
    attempts_charged = serializers.IntegerField()
    max_attempts = serializers.IntegerField()
    executions_made = serializers.IntegerField()
    timeout_seconds = serializers.FloatField(allow_null=True)
    owner_id = serializers.IntegerField(allow_null=True)
    trigger = serializers.ChoiceField(Trigger.choices)
    trigger_id = serializers.IntegerField(allow_null=True)
    unique_key = serializers.CharField(allow_null=True)
    idempotency_key = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()
    queued_at = serializers.DateTimeField(allow_null=True)
    run_after = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    cancel_requested_at = serializers.DateTimeField(allow_null=True)


class JobDetailOutput(JobOutput):
    args = serializers.ListField(help_text="Sensitive values are masked.")
    kwargs = serializers.DictField()
    actions = serializers.ListField(
        child=serializers.CharField(), help_text="What you may ask of it now."
    )


class StatsOutput(Output):
    counts = serializers.DictField(
        child=serializers.IntegerField(allow_null=True),
        help_text="By state. Null: not counted, since a long history has no cheap count.",
    )
    limit = serializers.IntegerField(help_text="Counting stops one above this number.")


class ExecutionOutput(Output):
    number = serializers.IntegerField()
    status = serializers.ChoiceField(Outcome.choices)
    worker_id = serializers.IntegerField()
    claimed_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    duration_ms = serializers.IntegerField(allow_null=True)
    charged = serializers.BooleanField()
    error_code = serializers.CharField()
    error_class = serializers.CharField()
    error_message = serializers.CharField()
    progress_done = serializers.FloatField(allow_null=True)
    progress_total = serializers.FloatField(allow_null=True)
    progress_message = serializers.CharField()


class ExecutionDetailOutput(ExecutionOutput):
    traceback = serializers.CharField()
    result: Any = serializers.JSONField(allow_null=True, help_text="Sensitive values are masked.")


class LogChunkOutput(Output):
    sequence = serializers.IntegerField()
    stream = serializers.ChoiceField(ExecutionLog.Stream.choices)
    written_at = serializers.DateTimeField()
    text = serializers.CharField()


class LogOutput(Output):
    execution = serializers.IntegerField(allow_null=True, help_text="Null: none has begun.")
    items = LogChunkOutput(many=True)
    next = serializers.CharField(allow_null=True, help_text="What was written after these.")


class BlockerOutput(Output):
    """One thing in a job's way."""

    code = serializers.CharField(help_text="Stable: queue_paused, no_executor, behind_others ...")
    sentence = serializers.CharField()
    since = serializers.DateTimeField(allow_null=True)
    until = serializers.DateTimeField(allow_null=True)
    job_id = serializers.IntegerField(allow_null=True)


class BlockersOutput(Output):
    status = serializers.ChoiceField(list(Status))
    blockers = BlockerOutput(many=True)
