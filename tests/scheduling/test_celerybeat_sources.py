"""Where django-celery-beat's rows are read."""

import json

import pytest
from django.db import connection

from scheduling.celerybeat_sources import TABLES, read_dump, read_tables
from scheduling.errors import InvalidSchedule
from tests.scheduling.beat import DUMP


def test_a_dump_is_read_in_its_order() -> None:
    entries = read_dump(DUMP)
    assert [entry.name for entry in entries] == ["nightly", "often", "off", "sunrise", "backend"]
    assert entries[0].values["cron"] == "0 3 * * *"
    assert entries[1].values["interval_seconds"] == 90


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '[{"model": 1, "fields": {}}]', '[{"model": "a.b"}]', "[" * 9999]
)
def test_what_is_no_dump_is_refused(text: str) -> None:
    with pytest.raises(InvalidSchedule, match=r"dump|list of rows"):
        read_dump(text)


def test_a_dump_may_point_nowhere() -> None:
    row = {"model": "django_celery_beat.periodictask", "pk": 1}
    fields = {"name": "x", "task": "y", "crontab": 7, "interval": [1]}
    (entry,) = read_dump(json.dumps([row | {"fields": fields}]))
    assert entry.problem == "no times"


@pytest.mark.django_db(transaction=True)
def test_tables_are_read_where_they_are() -> None:
    with pytest.raises(InvalidSchedule, match="cannot be read there"):
        read_tables("default")
    with connection.schema_editor() as editor:
        for table in TABLES.values():
            editor.create_model(table)
    try:
        crontab = TABLES["crontabschedule"](minute="0", hour="3", timezone="UTC")
        for name in ("day_of_month", "month_of_year", "day_of_week"):
            setattr(crontab, name, "*")
        crontab.save(using="default")
        task = TABLES["periodictask"](name="nightly", task="a.b", crontab=crontab.pk)
        for name, value in {
            "args": "[]",
            "kwargs": "{}",
            "one_off": False,
            "enabled": True,
        }.items():
            setattr(task, name, value)
        task.save(using="default")
        (entry,) = read_tables("default")
        assert (entry.name, entry.values["cron"]) == ("nightly", "0 3 * * *")
    finally:
        with connection.schema_editor() as editor:
            for table in TABLES.values():
                editor.delete_model(table)
