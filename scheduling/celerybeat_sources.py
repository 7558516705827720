"""Where django-celery-beat's rows are read: a JSON dump, or its tables in one of our databases."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from django.apps.registry import Apps
from django.db import DatabaseError, models

from scheduling.celerybeat_entries import BeatEntry, beat_entry
from scheduling.errors import InvalidSchedule

LABEL = "django_celery_beat"
#: Column of a periodic task -> model that names its times.
_TIMES = {
    "crontab": "crontabschedule",
    "interval": "intervalschedule",
    "clocked": "clockedschedule",
}

#: Apart from Django's own, so that they are nobody's models and get no migrations.
_APPS = Apps()


class BeatTask(models.Model):
    """The table of periodic tasks, as far as it is read."""

    name = models.CharField(max_length=200)
    task = models.CharField(max_length=200)
    interval = models.IntegerField(db_column="interval_id", null=True)
    crontab = models.IntegerField(db_column="crontab_id", null=True)
    solar = models.IntegerField(db_column="solar_id", null=True)
    clocked = models.IntegerField(db_column="clocked_id", null=True)
    args = models.TextField()
    kwargs = models.TextField()
    queue = models.CharField(max_length=200, null=True)
    exchange = models.CharField(max_length=200, null=True)
    routing_key = models.CharField(max_length=200, null=True)
    priority = models.IntegerField(null=True)
    one_off = models.BooleanField()
    start_time = models.DateTimeField(null=True)
    expires = models.DateTimeField(null=True)
    enabled = models.BooleanField()
    description = models.TextField()

    class Meta:
        apps = _APPS
        app_label = LABEL
        managed = False
        db_table = "django_celery_beat_periodictask"

    def __str__(self) -> str:
        return self.name


class BeatCrontab(models.Model):
    minute = models.CharField(max_length=240)
    hour = models.CharField(max_length=96)
    day_of_month = models.CharField(max_length=124)
    month_of_year = models.CharField(max_length=64)
    day_of_week = models.CharField(max_length=64)
    timezone = models.CharField(max_length=63)

    class Meta:
        apps = _APPS
        app_label = LABEL
        managed = False
        db_table = "django_celery_beat_crontabschedule"

    def __str__(self) -> str:
        return f"{self.minute} {self.hour}"


class BeatInterval(models.Model):
    every = models.IntegerField()
    period = models.CharField(max_length=24)

    class Meta:
        apps = _APPS
        app_label = LABEL
        managed = False
        db_table = "django_celery_beat_intervalschedule"

    def __str__(self) -> str:
        return f"{self.every} {self.period}"


class BeatClocked(models.Model):
    clocked_time = models.DateTimeField()

    class Meta:
        apps = _APPS
        app_label = LABEL
        managed = False
        db_table = "django_celery_beat_clockedschedule"

    def __str__(self) -> str:
        return str(self.clocked_time)


TABLES: dict[str, type[models.Model]] = {
    "periodictask": BeatTask,
    "crontabschedule": BeatCrontab,
    "intervalschedule": BeatInterval,
    "clockedschedule": BeatClocked,
}


def read_dump(text: str) -> list[BeatEntry]:
    """The periodic tasks of what `manage.py dumpdata django_celery_beat` wrote, in its order.

    Raises InvalidSchedule for text that is no such dump.
    """
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidSchedule(f"The dump is no JSON: {error}.", field="file") from None
    if not isinstance(rows, list) or not all(map(_is_row, rows)):
        raise InvalidSchedule(
            "The dump must be a list of rows with model, pk and fields, as dumpdata writes it.",
            field="file",
        )
    found: dict[str, dict[Any, Mapping[str, Any]]] = {}
    for row in rows:
        label, _, model = row["model"].partition(".")
        if label == LABEL:
            found.setdefault(model, {})[row.get("pk")] = row["fields"]
    return list(_entries(found))


def read_tables(database: str) -> list[BeatEntry]:
    """The periodic tasks of django-celery-beat's tables, by id. Raises InvalidSchedule without."""
    found: dict[str, dict[Any, Mapping[str, Any]]] = {}
    try:
        for model, table in TABLES.items():
            rows = table._base_manager.using(database).order_by("pk").values()
            found[model] = {row["id"]: row for row in rows}
    except DatabaseError as error:
        raise InvalidSchedule(
            f"The tables of django-celery-beat cannot be read there: {error}".strip(),
            field="database",
        ) from None
    return list(_entries(found))


def _is_row(row: Any) -> bool:
    return (
        isinstance(row, dict)
        and isinstance(row.get("model"), str)
        and isinstance(row.get("fields"), dict)
        and not isinstance(row.get("pk"), list | dict)
    )


def _entries(found: Mapping[str, Mapping[Any, Mapping[str, Any]]]) -> Iterator[BeatEntry]:
    for task in found.get("periodictask", {}).values():
        rows = {column: _row(found, model, task.get(column)) for column, model in _TIMES.items()}
        yield beat_entry(task, **{column: row for column, row in rows.items() if row is not None})


def _row(
    found: Mapping[str, Mapping[Any, Mapping[str, Any]]], model: str, key: Any
) -> Mapping[str, Any] | None:
    return None if isinstance(key, list | dict) else found.get(model, {}).get(key)
