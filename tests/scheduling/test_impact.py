"""What an edit of times does: runs lost and added, and who else runs in the same minutes."""

from datetime import UTC, datetime, timedelta

import pytest

from accounts.models import User
from controlplane.actors import SYSTEM
from scheduling.impact import COMPARED, NAMED, Impact, impact_of, runs_in_minute
from scheduling.models import JobSchedule
from scheduling.times import Times
from tests.conftest import actor_for
from tests.scheduling.factories import make_schedule

pytestmark = pytest.mark.django_db

NOW = datetime(2027, 3, 12, tzinfo=UTC)
NIGHTLY = Times(cron="0 4 * * *")


def impact(old: Times, new: Times, **how: object) -> Impact:
    return impact_of(old, new, NOW, actor=SYSTEM, schedule_id=how.get("schedule_id"))  # type: ignore[arg-type]


def test_old_and_new_are_compared_as_far_as_both_are_known() -> None:
    found = impact(NIGHTLY, Times(cron="0 4,5 * * *"))
    assert (found.lost, found.added) == (0, COMPARED // 2)
    assert [run.verdict for run in found.runs[:2]] == ["kept", "added"]
    assert impact(NIGHTLY, Times(cron="0 4 * * 1-5")).added == 0
    assert impact(NIGHTLY, NIGHTLY).lost == impact(NIGHTLY, NIGHTLY).added == 0


def test_times_that_end_lose_what_comes_after() -> None:
    ends = Times(cron="0 4 * * *", ends_at=NOW + timedelta(days=3))
    assert (impact(NIGHTLY, ends).lost, impact(NIGHTLY, ends).added) == (COMPARED - 3, 0)


def test_a_corrupt_old_row_counts_as_none() -> None:
    found = impact(Times(cron="99 * * * *"), NIGHTLY)
    assert (found.lost, found.added) == (0, COMPARED)
    assert impact(Times(), NIGHTLY).added == COMPARED


def test_others_in_the_same_minutes_are_named_and_the_rest_counted(user: User) -> None:
    schedule = make_schedule("this", cron="0 4 * * *")
    for number in range(NAMED + 2):
        make_schedule(f"beside {number}", cron="0 4 * * *")
    make_schedule("elsewhere", cron="1 4 * * *")
    make_schedule("paused", cron="0 4 * * *", enabled=False)
    run = impact(NIGHTLY, NIGHTLY, schedule_id=schedule.id).runs[0]
    assert [other.name for other in run.others] == [f"beside {n}" for n in range(NAMED)]
    assert run.more == 2
    theirs = impact_of(NIGHTLY, NIGHTLY, NOW, actor=actor_for(user), schedule_id=None).runs[0]
    assert theirs.others == []


@pytest.mark.parametrize(
    ("times", "minute", "expected"),
    [
        (Times(cron="0 4 * * *"), "2027-03-12T04:00Z", True),
        (Times(cron="30 0 4 * * *"), "2027-03-12T04:00Z", True),
        (Times(cron="0 4 * * *"), "2027-03-12T04:01Z", False),
        (Times(cron="0 4 * * 0"), "2027-03-12T04:00Z", False),
        # Moved out of the gap, to a minute that its fields do not name.
        (Times(cron="30 2 * * *", timezone="America/New_York"), "2027-03-14T07:00Z", True),
        (Times(cron="* * * * *", timezone="Etc/Unknown"), "2027-03-12T04:00Z", False),
        (Times(cron="99 * * * *"), "2027-03-12T04:00Z", False),
        (Times(interval_seconds=90, anchor_at=NOW), "2027-03-12T00:01Z", True),
        (Times(interval_seconds=90, anchor_at=NOW), "2027-03-12T00:02Z", False),
        (Times(run_at=NOW), "2027-03-12T00:00Z", True),
    ],
)
def test_whether_a_schedule_runs_in_a_minute(times: Times, minute: str, expected: bool) -> None:
    assert runs_in_minute(times, datetime.fromisoformat(minute)) is expected


def test_a_corrupt_neighbour_breaks_nothing() -> None:
    other = make_schedule("broken", cron="0 4 * * *")
    JobSchedule.objects.filter(id=other.id).update(cron="99 * * * *")
    assert impact(NIGHTLY, NIGHTLY).runs[0].others == []
