"""The shapes of what the schedules' API takes and gives."""

from rest_framework import serializers

from controlplane.rest.serializers import Input, Output
from jobs.api.shapes import ExecutionOutput, ReasonInput
from scheduling.actions.bulk import MAX_BULK
from scheduling.lifecycle import ExecutionStatus, MissedPolicy, OverlapPolicy, ScheduleStatus
from scheduling.models import Firing


class SchedulePatchInput(Input):
    """What is left out stays as it is; null is none. At most one of the four kinds of times.

    Only types are checked here: limits are the actions', each with a code of its own.
    """

    name = serializers.CharField(required=False)
    description = serializers.CharField(required=False, allow_blank=True)
    task = serializers.CharField(required=False, help_text="Dotted path, as /tasks lists it.")
    args = serializers.ListField(child=serializers.JSONField(allow_null=True), required=False)
    kwargs = serializers.DictField(child=serializers.JSONField(allow_null=True), required=False)
    queue = serializers.CharField(
        required=False, allow_blank=True, help_text="Empty: the task's own."
    )
    priority = serializers.IntegerField(required=False, allow_null=True)
    max_attempts = serializers.IntegerField(required=False, allow_null=True)
    timeout_seconds = serializers.FloatField(required=False, allow_null=True)
    tags = serializers.ListField(child=serializers.CharField(allow_blank=True), required=False)
    cron = serializers.CharField(
        required=False, allow_blank=True, help_text="Five fields, or six with seconds first."
    )
    timezone = serializers.CharField(required=False, help_text="Name of an IANA zone.")
    interval_seconds = serializers.IntegerField(required=False, allow_null=True)
    interval_days = serializers.IntegerField(required=False, allow_null=True)
    anchor_at = serializers.DateTimeField(required=False, allow_null=True)
    run_at = serializers.DateTimeField(required=False, allow_null=True, help_text="Run once, then.")
    starts_at = serializers.DateTimeField(required=False, allow_null=True)
    ends_at = serializers.DateTimeField(required=False, allow_null=True)
    jitter_seconds = serializers.IntegerField(required=False)
    overlap_policy = serializers.ChoiceField(OverlapPolicy.choices, required=False)
    missed_policy = serializers.ChoiceField(MissedPolicy.choices, required=False)
    missed_window_seconds = serializers.IntegerField(required=False)
    missed_limit = serializers.IntegerField(required=False)
    enabled = serializers.BooleanField(default=False, help_text="True: let the clock fire it.")


class ScheduleInput(SchedulePatchInput):
    """A new schedule. It keeps still (PAUSED) unless `enabled`."""

    name = serializers.CharField()
    task = serializers.CharField(help_text="Dotted path, as /tasks lists it.")


class ScheduleOutput(Output):
    id = serializers.IntegerField()
    name = serializers.CharField()
    task = serializers.CharField()
    owner_id = serializers.IntegerField(allow_null=True)
    schedule_status = serializers.ChoiceField(ScheduleStatus.choices)
    execution_status = serializers.ChoiceField(ExecutionStatus.choices)
    status_reason = serializers.CharField(help_text="Why the machine put it there, if it did.")
    times = serializers.CharField(help_text="When it fires, in words.")
    queue = serializers.CharField()
    priority = serializers.IntegerField(allow_null=True)
    max_attempts = serializers.IntegerField(allow_null=True)
    timeout_seconds = serializers.FloatField(allow_null=True)
    tags = serializers.ListField(child=serializers.CharField())
    cron = serializers.CharField()
    timezone = serializers.CharField()
    interval_seconds = serializers.IntegerField(allow_null=True)
    interval_days = serializers.IntegerField(allow_null=True)
    anchor_at = serializers.DateTimeField(allow_null=True)
    run_at = serializers.DateTimeField(allow_null=True)
    starts_at = serializers.DateTimeField(allow_null=True)
    ends_at = serializers.DateTimeField(allow_null=True)
    jitter_seconds = serializers.IntegerField()
    overlap_policy = serializers.ChoiceField(OverlapPolicy.choices)
    missed_policy = serializers.ChoiceField(MissedPolicy.choices)
    missed_window_seconds = serializers.IntegerField()
    missed_limit = serializers.IntegerField()
    next_run_at = serializers.DateTimeField(allow_null=True)
    last_fired_at = serializers.DateTimeField(allow_null=True)
    version = serializers.IntegerField(help_text="Counts edits; the ETag for If-Match.")
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class ScheduleDetailOutput(ScheduleOutput):
    description = serializers.CharField()
    args = serializers.ListField(help_text="Sensitive values are masked.")
    kwargs = serializers.DictField()
    actions = serializers.ListField(
        child=serializers.CharField(), help_text="What you may ask of it now."
    )


class RunInput(ReasonInput):
    args = serializers.ListField(
        child=serializers.JSONField(allow_null=True),
        required=False,
        help_text="For this run only, in place of the schedule's own.",
    )
    kwargs = serializers.DictField(
        child=serializers.JSONField(allow_null=True),
        required=False,
        help_text="For this run only, in place of those with the same names.",
    )


class BackfillInput(ReasonInput):
    since = serializers.DateTimeField()
    until = serializers.DateTimeField()
    dry_run = serializers.BooleanField(default=True)


class BackfillOutput(Output):
    dry_run = serializers.BooleanField()
    times = serializers.ListField(child=serializers.DateTimeField())
    run_before = serializers.IntegerField(help_text="Times in the range backfilled earlier.")
    job_ids = serializers.ListField(child=serializers.IntegerField())


class ScheduleBulkInput(ReasonInput):
    verb = serializers.ChoiceField(["pause", "resume"])
    ids = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=2**63 - 1),
        min_length=1,
        max_length=MAX_BULK,
    )


class ScheduleBulkItemOutput(Output):
    id = serializers.IntegerField()
    done = serializers.BooleanField()
    code = serializers.CharField(help_text="Why it was refused; empty when done.")
    detail = serializers.CharField()


class ScheduleBulkOutput(Output):
    done = serializers.IntegerField()
    refused = serializers.IntegerField()
    items = ScheduleBulkItemOutput(many=True)


class FiringOutput(Output):
    id = serializers.IntegerField()
    nominal_time = serializers.DateTimeField(help_text="The time that it stands for.")
    fired_at = serializers.DateTimeField()
    kind = serializers.ChoiceField(Firing.Kind.choices)
    outcome = serializers.ChoiceField(Firing.Outcome.choices)
    job_id = serializers.IntegerField(allow_null=True)
    lateness_ms = serializers.IntegerField()
    reason = serializers.CharField()


class ScheduleExecutionOutput(ExecutionOutput):
    job_id = serializers.IntegerField()
