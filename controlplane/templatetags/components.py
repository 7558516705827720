"""Pieces that pages of every app share: icons, badges, times, durations."""

from datetime import UTC, datetime, timedelta

from django import template
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from controlplane.testids import Element

register = template.Library()

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR


@register.simple_tag
def icon(name: str) -> SafeString:
    """A symbol of static/img/icons.svg, hidden from screen readers: the words beside it suffice."""
    return format_html(
        '<svg class="icon" aria-hidden="true"><use href="{}#{}"></use></svg>',
        static("img/icons.svg"),
        name,
    )


@register.simple_tag
def testid(name: str) -> SafeString:
    """The attribute `data-testid` of an element of controlplane.testids. Raises KeyError."""
    return format_html('data-testid="{}"', Element[name].value)


@register.simple_tag
def badge(tone: str, shape: str, word: str) -> SafeString:
    """A state as shape, word and colour; tones are those of static/css/components/badge.css."""
    return format_html('<span class="badge" data-tone="{}">{}{}</span>', tone, icon(shape), word)


@register.simple_tag
def moment(value: datetime | None, *, zone: bool = True) -> SafeString | str:
    """A time in UTC to the second. `zone=False` only where a heading above already says UTC."""
    if value is None:
        return ""
    return format_html(
        '<time datetime="{}">{}{}</time>',
        _machine_readable(value),
        value.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S"),
        " UTC" if zone else "",
    )


@register.simple_tag
def age(value: datetime | None) -> SafeString | str:
    """How long ago, in one unit; the exact time is its title. static/js/times.js keeps it true."""
    if value is None:
        return ""
    return format_html(
        '<time datetime="{}" title="{} UTC" data-age>{}</time>',
        _machine_readable(value),
        value.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S"),
        one_unit(max(0.0, (timezone.now() - value).total_seconds())),
    )


@register.filter
def duration(value: timedelta | float | None) -> str:
    """A span of time in at most two units; numbers are seconds."""
    if value is None:
        return ""
    seconds = value.total_seconds() if isinstance(value, timedelta) else value
    if seconds < 1:
        return f"{max(0, round(seconds * 1000))} ms"
    if round(seconds, 1) < MINUTE:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < HOUR:
        return f"{whole // MINUTE} min {whole % MINUTE:02d} s"
    if whole < 2 * DAY:
        return f"{whole // HOUR} h {whole % HOUR // MINUTE:02d} min"
    return f"{whole // DAY} d {whole % DAY // HOUR:02d} h"


@register.filter
def words(name: str) -> str:
    """A name in capitals as people write it: JOB_DEAD_LETTERED becomes "Job dead lettered"."""
    return name.replace("_", " ").capitalize()


def one_unit(seconds: float) -> str:
    """The coarse length of a span: 59 s, 59 min, 47 h, 2 d."""
    if seconds < MINUTE:
        return f"{int(seconds)} s"
    if seconds < HOUR:
        return f"{int(seconds // MINUTE)} min"
    if seconds < 2 * DAY:
        return f"{int(seconds // HOUR)} h"
    return f"{int(seconds // DAY)} d"


def _machine_readable(value: datetime) -> str:
    return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
