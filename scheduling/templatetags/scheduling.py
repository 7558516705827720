"""How schedules look: both statuses and every outcome as a word, a shape and a colour."""

from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from controlplane import conf
from controlplane.keyset import Order
from controlplane.templatetags.components import badge, icon
from controlplane.time_format import written
from scheduling.buttons import Button
from scheduling.lifecycle import ExecutionStatus, ScheduleStatus
from scheduling.models import Firing, JobSchedule
from scheduling.preview import PreviewRun

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


@register.simple_tag(takes_context=True)
def asks(context: template.Context, schedule: JobSchedule, button: Button) -> SafeString:
    """The attributes of a link to where one is asked before this verb: a page of its own, or a
    dialog where htmx is. The answer leads back to the present page.
    """
    if button.has_page:
        return format_html('href="{}"', reverse(button.view, args=[schedule.id]))
    place = reverse("scheduling:question", args=[schedule.id, button.verb])
    place += f"?{urlencode({'next': context['request'].get_full_path()})}"
    return format_html('href="{0}" hx-get="{0}" hx-target="#ask" hx-swap="innerHTML"', place)


@register.simple_tag(takes_context=True)
def sort_header(
    context: template.Context, name: str, label: str, *, number: bool = False
) -> SafeString:
    """A column's heading that sorts by it; once more turns the order round."""
    order: Order = context["order"]
    current = order.name == name
    turned = f"{'' if order.descending or not current else '-'}{name}"
    query: Any = context["request"].GET.copy()
    for position in ("from", "back"):
        query.pop(position, None)
    query["sort"] = turned
    direction = "descending" if order.descending else "ascending"
    return format_html(
        '<th scope="col" class="{}" aria-sort="{}"><a class="sort" href="?{}">{}{}</a></th>',
        "table__number" if number else "",
        direction if current else "none",
        query.urlencode(),
        label,
        icon("down" if order.descending else "up") if current else "",
    )


@register.simple_tag
def local_time(value: datetime | None) -> SafeString | str:
    """A time in the format that settings give: in UTC, until static/js/zones.js makes it local."""
    return _local(value, conf.options().datetime_format)


@register.simple_tag
def local_date(value: datetime | None) -> SafeString | str:
    """The date of an instant, likewise."""
    return _local(value, conf.options().date_format)


def _local(value: datetime | None, form: str) -> SafeString | str:
    if value is None:
        return ""
    utc = value.astimezone(UTC)
    return format_html(
        '<time datetime="{}" data-local="{}" title="{} UTC" data-titled>{}</time>',
        utc.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        form,
        utc.strftime("%Y-%m-%d %H:%M:%S"),
        written(utc, form),
    )


@register.filter
def grouped(number: int | None) -> str:
    """A whole number in groups of three digits; empty for none."""
    return "" if number is None else f"{number:,}"


@register.simple_tag
def hour_mark(value: datetime) -> SafeString | str:
    """A time of day at the edge of a drawing."""
    return _local(value, "%H:%M")


@register.simple_tag
def wall_time(run: PreviewRun) -> str:
    """What the schedule's clock shows, with the day and the zone's own abbreviation."""
    return f"{written(run.wall, f'%a {conf.options().datetime_format}')} {run.abbreviation}"


#: What an edit does to a run, as a badge.
VERDICTS = {
    "kept": ("neutral", "check", "Kept"),
    "lost": ("danger", "cross", "Lost"),
    "added": ("success", "plus", "Added"),
}


@register.simple_tag
def verdict(name: str) -> SafeString:
    """The badge of what an edit does to a run."""
    return badge(*VERDICTS[name])


#: What becomes of a line that is imported, as a badge.
IMPORTS = {
    "created": ("success", "plus", "Created"),
    "updated": ("info", "edit", "Updated"),
    "unchanged": ("neutral", "circle", "Unchanged"),
    "skipped": ("warning", "slash", "Skipped"),
    "refused": ("danger", "octagon", "Refused"),
    "ignored": ("muted", "dashed", "Ignored"),
}


@register.simple_tag
def import_status(status: str) -> SafeString:
    """The badge of what becomes of an imported line."""
    return badge(*IMPORTS[status])
