"""The visual builder's fields in a form: read from what was posted, or from an expression."""

from typing import Any

from django.http import QueryDict

from scheduling.cron_builder import EVEN, Choices, Kind, build, read
from scheduling.errors import InvalidCron

PREFIX = "builder_"
_CUSTOM = ("minute", "hour", "day_of_month", "month", "weekday")


def built_cron(data: QueryDict) -> str:
    """The expression that the posted fields make. Raises InvalidCron."""
    return build(_posted(data))


def builder_fields(cron: str, data: QueryDict | None = None) -> dict[str, Any]:
    """What the fields show: as posted, or as they would build `cron`."""
    if data is None or f"{PREFIX}kind" not in data:
        choices = read(cron or (data.get("cron", "") if data else ""))
    else:
        try:
            choices = _posted(data)
        except InvalidCron:
            choices = Choices()
    return {
        "kind": choices.kind.value,
        "kinds": [(kind.value, kind.value.capitalize()) for kind in Kind],
        "every": choices.every,
        "unit": choices.unit,
        "units": list(EVEN),
        "clock": choices.clock,
        "weekdays": choices.weekdays,
        "day": choices.day,
        "custom": list(zip(_CUSTOM, choices.custom, strict=True)),
    }


def _posted(data: QueryDict) -> Choices:
    def text(name: str) -> str:
        return str(data.get(f"{PREFIX}{name}", ""))[:100]

    kind = text("kind")
    if kind not in set(Kind):
        raise InvalidCron(f"kind must be one of {', '.join(Kind)}.", field="builder_kind")
    return Choices(
        kind=Kind(kind),
        every=_number(text("every")),
        unit=text("unit"),
        clock=text("clock"),
        weekdays=[_number(day) for day in data.getlist(f"{PREFIX}weekdays")],
        day=text("day"),
        custom=[text(name) for name in _CUSTOM],
    )


def _number(text: str) -> int:
    """A number that no choice allows stands for what is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else -1
