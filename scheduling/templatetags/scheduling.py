"""How schedules look: both statuses and every outcome as a word, a shape and a colour."""

from django import template
from django.utils.safestring import SafeString

from controlplane.templatetags.components import badge
from scheduling.lifecycle import ExecutionStatus, ScheduleStatus
from scheduling.models import Firing

register = template.Library()

#: Tone as in badge.css, shape as in icons.svg, and the word.
SCHEDULE_LOOKS = {
    ScheduleStatus.ENABLED: ("success", "clock", "Enabled"),
    ScheduleStatus.PAUSED: ("warning", "pause", "Paused"),
    ScheduleStatus.UNSCHEDULED: ("muted", "dashed", "Unscheduled"),
    ScheduleStatus.TASK_NOT_FOUND: ("danger", "octagon", "Task not found"),
}
EXECUTION_LOOKS = {
    ExecutionStatus.READY: ("neutral", "circle", "Ready"),
    ExecutionStatus.RUNNING: ("info", "play", "Running"),
}
OUTCOME_LOOKS = {
    Firing.Outcome.ENQUEUED: ("success", "check", "Enqueued"),
    Firing.Outcome.LATE: ("warning", "check", "Made up for"),
    Firing.Outcome.BUFFERED: ("info", "clock", "Buffered"),
    Firing.Outcome.CANCELLED_RUNNING: ("info", "check", "Took over"),
    Firing.Outcome.SKIPPED_OVERLAP: ("warning", "slash", "Skipped"),
    Firing.Outcome.SKIPPED_PAUSED: ("muted", "pause", "Paused"),
    Firing.Outcome.COALESCED: ("muted", "dashed", "Coalesced"),
    Firing.Outcome.MISSED: ("warning", "hourglass", "Missed"),
}
KINDS = {Firing.Kind.DUE: "", Firing.Kind.BACKFILL: "backfill", Firing.Kind.MANUAL: "by hand"}


@register.simple_tag
def schedule_state(status: str) -> SafeString:
    """The badge of a schedule status."""
    return badge(*SCHEDULE_LOOKS[ScheduleStatus(status)])


@register.simple_tag
def execution_state(status: str) -> SafeString:
    """The badge of an execution status."""
    return badge(*EXECUTION_LOOKS[ExecutionStatus(status)])


@register.simple_tag
def firing_outcome(firing: Firing) -> SafeString:
    """The badge of what became of a firing."""
    return badge(*OUTCOME_LOOKS[Firing.Outcome(firing.outcome)])


@register.filter
def kind_word(kind: str) -> str:
    """What brought a firing about; empty for the clock."""
    return KINDS[Firing.Kind(kind)]


@register.filter
def schedule_word(status: str) -> str:
    """A schedule status as people write it."""
    return SCHEDULE_LOOKS[ScheduleStatus(status)][2]
