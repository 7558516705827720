"""A dump of django-celery-beat as its users have it."""

import json
from typing import Any

from tests.scheduling.factories import NOOP


def _row(model: str, key: int, **fields: Any) -> dict[str, Any]:
    return {"model": f"django_celery_beat.{model}", "pk": key, "fields": fields}


def _task(key: int, name: str, task: str = NOOP, **fields: Any) -> dict[str, Any]:
    rest = {"args": "[]", "kwargs": "{}", "enabled": True, "one_off": False, "description": ""}
    return _row("periodictask", key, name=name, task=task, **rest | fields)


DUMP = json.dumps(
    [
        _row(
            "crontabschedule",
            1,
            minute="0",
            hour="3",
            day_of_month="*",
            month_of_year="*",
            day_of_week="*",
            timezone="Europe/Berlin",
        ),
        _row("intervalschedule", 1, every=90, period="seconds"),
        _row("solarschedule", 1, event="sunrise", latitude="1", longitude="1"),
        {"model": "auth.group", "pk": 1, "fields": {"name": "another app's"}},
        _task(1, "nightly", crontab=1),
        _task(2, "often", task="shop.tasks.clean", interval=1, priority=5),
        _task(3, "off", crontab=1, enabled=False),
        _task(4, "sunrise", solar=1),
        _task(5, "backend", task="celery.backend_cleanup", crontab=1),
    ]
)
