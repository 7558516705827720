"""Where an executor may claim from just now."""

from collections.abc import Collection

import pytest

from jobs import queue
from jobs.runtime.sources import CANCEL_SECONDS, FOREIGN_SECONDS, FRESH_SECONDS, Sources


class Surroundings:
    """A clock set by hand, and the queues that hold work."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        self.pending = ["default", "mail"]
        self.asked = 0
        self.cancels: list[int] = []
        monkeypatch.setattr("jobs.runtime.sources.time.monotonic", lambda: self.now)
        monkeypatch.setattr(queue, "pending_queues", self._pending)
        monkeypatch.setattr(queue, "cancel_requested", lambda worker_id: self.cancels)

    def _pending(self) -> list[str]:
        self.asked += 1
        return list(self.pending)


@pytest.fixture
def around(monkeypatch: pytest.MonkeyPatch) -> Surroundings:
    return Surroundings(monkeypatch)


def test_all_queues_are_served_unless_some_are_named(around: Surroundings) -> None:
    assert Sources([], []).queues() == ["default", "mail"]
    assert Sources(["mail", "urgent"], []).queues() == ["mail"]


def test_the_list_of_queues_is_good_for_a_while(around: Surroundings) -> None:
    sources = Sources([], [])
    sources.queues()
    around.pending = ["urgent"]
    around.now += FRESH_SECONDS
    assert sources.queues() == ["default", "mail"]
    around.now += 0.01
    assert sources.queues() == ["urgent"]
    assert around.asked == 2


def test_a_notification_of_an_unknown_queue_makes_it_look_again(around: Surroundings) -> None:
    sources = Sources([], [])
    sources.queues()
    sources.heard("mail")
    sources.queues()
    assert around.asked == 1
    sources.heard("new")
    sources.queues()
    assert around.asked == 2
    sources.heard("")
    sources.queues()
    assert around.asked == 3, "anything may have been missed"


def test_a_dry_lane_is_left_alone_until_its_time_or_a_notification(around: Surroundings) -> None:
    sources = Sources([], [])
    sources.dry(isolated=False, seconds=5.0, words=0)
    assert sources.is_dry(isolated=False)
    assert not sources.is_dry(isolated=True), "the other lane is another matter"
    around.now += 4.9
    assert sources.is_dry(isolated=False)
    around.now += 0.2
    assert not sources.is_dry(isolated=False)
    sources.dry(isolated=True, seconds=5.0, words=0)
    sources.heard("default")
    assert not sources.is_dry(isolated=True)


def test_a_notification_during_the_claim_is_not_forgotten(around: Surroundings) -> None:
    sources = Sources([], [])
    before = sources.words
    sources.heard("default")
    assert not sources.dry(isolated=False, seconds=5.0, words=before)
    assert not sources.is_dry(isolated=False)


def test_a_queue_named_while_nothing_was_left_is_claimed_from_before_the_list_is_read(
    around: Surroundings,
) -> None:
    sources = Sources([], [])
    sources.queues()
    for isolated in (False, True):
        assert sources.dry(isolated=isolated, seconds=5.0, words=0)
    sources.heard("mail")
    assert sources.queues() == ["mail"]
    assert around.asked == 1
    assert not sources.dry(isolated=False, seconds=5.0, words=1), "other queues were not looked at"
    assert not sources.is_dry(isolated=False)
    assert sources.queues() == ["default", "mail"]
    assert sources.dry(isolated=False, seconds=5.0, words=1)
    assert around.asked == 2


def test_a_queue_named_while_something_is_left_comes_in_its_turn(around: Surroundings) -> None:
    sources = Sources([], [])
    sources.queues()
    sources.dry(isolated=True, seconds=5.0, words=0)
    sources.heard("mail")
    assert sources.queues() == ["default", "mail"]


def test_two_queues_named_at_once_are_both_looked_at(around: Surroundings) -> None:
    sources = Sources([], [])
    sources.queues()
    for isolated in (False, True):
        sources.dry(isolated=isolated, seconds=5.0, words=0)
    sources.heard("mail")
    sources.heard("default")
    assert sources.queues() == ["default", "mail"]


def test_a_named_queue_that_others_serve_is_left_to_them(around: Surroundings) -> None:
    sources = Sources(["default"], [])
    sources.queues()
    for isolated in (False, True):
        sources.dry(isolated=isolated, seconds=5.0, words=0)
    sources.heard("mail")
    assert sources.queues() == ["default"]


def test_news_are_told_once_and_suspected_now_and_then(around: Surroundings) -> None:
    sources = Sources([], [])
    assert [sources.news(), sources.news()] == [True, False]
    sources.heard("default")
    assert [sources.news(), sources.news()] == [True, False]
    around.now += FRESH_SECONDS + 0.01
    assert [sources.news(), sources.news()] == [True, False]


def test_a_foreign_task_is_left_to_others_for_a_while(around: Surroundings) -> None:
    sources = Sources([], ["app.tasks.never"])
    assert sources.excluded() == {"app.tasks.never"}
    sources.leave_to_others("app.tasks.theirs")
    assert sources.excluded() == {"app.tasks.never", "app.tasks.theirs"}
    around.now += FOREIGN_SECONDS + 0.01
    assert sources.excluded() == {"app.tasks.never"}


def test_cancels_are_looked_for_now_and_then(around: Surroundings) -> None:
    sources = Sources([], [])
    found: list[Collection[int]] = []
    around.cancels = [7, 8]
    sources.look_for_cancels(1, found.append)
    sources.look_for_cancels(1, found.append)
    assert found == [[7, 8]]
    around.now += CANCEL_SECONDS
    around.cancels = []
    sources.look_for_cancels(1, found.append)
    assert found == [[7, 8]], "nothing found, nothing told"
