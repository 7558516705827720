"""How jobs look: every state as a word, a shape and a colour."""

import json
from dataclasses import dataclass
from typing import Any

from django import template
from django.utils import timezone
from django.utils.safestring import SafeString

from controlplane.templatetags.components import badge, duration
from jobs.lifecycle import Outcome, Status
from jobs.models import Job, JobExecution, Trigger

register = template.Library()

#: Most characters of arguments or result on a page; the API gives all of them.
MAX_SHOWN = 20_000


@dataclass(frozen=True, slots=True)
class Look:
    """Tone as in badge.css, shape as in icons.svg, and the word."""

    tone: str
    shape: str
    word: str


STATES = {
    Status.PENDING: Look("neutral", "circle", "Pending"),
    Status.SCHEDULED: Look("violet", "clock", "Scheduled"),
    Status.BLOCKED: Look("muted", "barred", "Blocked"),
    Status.RUNNING: Look("info", "play", "Running"),
    Status.SUCCEEDED: Look("success", "check", "Succeeded"),
    Status.FAILED: Look("warning", "triangle", "Failed"),
    Status.CANCELLED: Look("muted", "slash", "Cancelled"),
    Status.DEAD_LETTER: Look("danger", "octagon", "Dead letter"),
    Status.NEEDS_VERIFICATION: Look("violet", "diamond", "Needs verification"),
}
#: Not a state of its own: RUNNING with a cancel requested.
CANCELLING = Look("warning", "stop", "Cancelling")

OUTCOMES = {
    Outcome.RUNNING: STATES[Status.RUNNING],
    Outcome.SUCCEEDED: STATES[Status.SUCCEEDED],
    Outcome.FAILED: STATES[Status.FAILED],
    Outcome.TIMED_OUT: Look("warning", "hourglass", "Timed out"),
    Outcome.CANCELLED: STATES[Status.CANCELLED],
    Outcome.INTERRUPTED: Look("muted", "bolt", "Interrupted"),
}


TRIGGERS = {
    Trigger.CODE: "Code",
    Trigger.PAGE: "Page",
    Trigger.API: "API",
    Trigger.COMMAND: "Command",
    Trigger.SCHEDULE: "Schedule",
}


@register.simple_tag
def job_state(job: Job) -> SafeString:
    """The badge of a job."""
    look = STATES[Status(job.status)]
    if job.status == Status.RUNNING and job.cancel_requested_at is not None:
        look = CANCELLING
    return badge(look.tone, look.shape, look.word)


@register.simple_tag
def outcome(status: str) -> SafeString:
    """The badge of an execution."""
    look = OUTCOMES[Outcome(status)]
    return badge(look.tone, look.shape, look.word)


@register.filter
def look(status: str) -> Look:
    """Tone, shape and word of a job's state, for places that are no badge."""
    return STATES[Status(status)]


@register.filter
def trigger_word(trigger: str) -> str:
    """What brought a job about, as people write it."""
    return TRIGGERS[Trigger(trigger)]


@register.filter
def short_name(path: str) -> str:
    """The last part of a dotted path."""
    return path.rpartition(".")[2]


@register.filter
def run_time(execution: JobExecution | None) -> str:
    """How long an execution ran, or has been running; empty when it never started."""
    if execution is None or execution.started_at is None:
        return ""
    return duration((execution.finished_at or timezone.now()) - execution.started_at)


@dataclass(frozen=True, slots=True)
class ShownJson:
    """A JSON value as text, cut at MAX_SHOWN characters; `left_out` counts the rest."""

    text: str
    left_out: int


@register.filter
def shown_json(value: Any) -> ShownJson:
    """A value of any size as text that a page can carry."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return ShownJson(text[:MAX_SHOWN], max(0, len(text) - MAX_SHOWN))
