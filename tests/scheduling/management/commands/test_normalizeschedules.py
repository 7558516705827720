"""`manage.py normalizeschedules`."""

from io import StringIO

import pytest
from django.core.management import call_command

from scheduling.models import JobSchedule
from tests.scheduling.factories import make_schedule


@pytest.mark.django_db
def test_it_says_what_it_found() -> None:
    make_schedule("good")
    lost, odd = make_schedule("lost"), make_schedule("odd")
    JobSchedule.objects.filter(id=lost.id).update(task="gone.away")
    JobSchedule.objects.filter(id=odd.id).update(timezone="Etc/Unknown")
    out, err = StringIO(), StringIO()
    call_command("normalizeschedules", stdout=out, stderr=err)
    assert out.getvalue() == "3 checked, 1 flagged, 1 failed.\n"
    assert f"schedule {odd.id}" in err.getvalue()
