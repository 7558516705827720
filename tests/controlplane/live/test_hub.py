"""Who hears what, what those hear who come back, and what becomes of the slow."""

import asyncio
from collections.abc import Iterator

import pytest

from controlplane.live import hub as hub_module
from controlplane.live.hub import REMEMBERED, WAITING, Hub, Viewer
from controlplane.live.source import Happening


def happening(kind: str = "job", owner: int | None = None, event: str = "JOB_FAILED") -> Happening:
    return Happening(event, kind, 5, owner, actor_id=None)


def viewer(user_id: int = 1, *, everything: bool = False) -> Viewer:
    return Viewer(user_id, everything, everything, everything)


def heard(one: Viewer) -> list[str]:
    frames = []
    while not one.queue.empty():
        frames.append(one.queue.get_nowait())
    return frames


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub without reader and listener: tests spread happenings themselves."""
    monkeypatch.setattr(hub_module.Hub, "_start", lambda self: None)
    monkeypatch.setattr(hub_module.Hub, "_stop", lambda self: None)
    yield Hub()


@pytest.mark.parametrize(
    ("kind", "owner", "hears"),
    [
        ("job", 1, True),
        ("job", 2, False),
        ("job", None, False),
        ("schedule", 1, True),
        ("user", 1, False),
    ],
)
def test_people_hear_of_their_own_things_only(kind: str, owner: int | None, hears: bool) -> None:
    assert viewer(1).may_hear(happening(kind, owner)) is hears
    assert viewer(1, everything=True).may_hear(happening(kind, owner))


def test_an_event_carries_types_and_regions_and_nothing_else(hub: Hub) -> None:
    one = viewer(everything=True)
    hub.enter(one)
    hub._spread([happening()])
    (frame,) = heard(one)
    assert 'data: {"type":"JOB_FAILED","regions":["jobs","job:5","audit","schedules"]}' in frame


def test_who_comes_first_is_told_to_look_at_everything(hub: Hub) -> None:
    (frame,) = hub.enter(viewer())
    assert "event: sync" in frame


def test_who_comes_back_hears_what_was_missed_and_only_that(hub: Hub) -> None:
    one = viewer(everything=True)
    hub.enter(one)
    hub._spread([happening(), happening("schedule")])
    first, _ = heard(one)
    last_known = first.partition("id: ")[2].partition("\n")[0]
    again = hub.enter(viewer(everything=True), last_known)
    assert len(again) == 1
    assert "event: event" in again[0]
    assert hub.enter(viewer(2), last_known) == [], "it is not theirs"


@pytest.mark.parametrize("known", ["", "other-1", "x", "-", "\x00-9", "9" * 5000])
def test_what_cannot_be_resumed_becomes_a_sync(hub: Hub, known: str) -> None:
    (frame,) = hub.enter(viewer(), known)
    assert "event: sync" in frame


def test_a_place_in_the_future_or_long_forgotten_becomes_a_sync(hub: Hub) -> None:
    hub.enter(viewer())
    assert "event: sync" in hub.enter(viewer(), f"{hub._epoch}-99")[0]
    hub._spread([happening()] * (REMEMBERED + 5))
    assert "event: sync" in hub.enter(viewer(), f"{hub._epoch}-1")[0]


def test_a_slow_viewer_gets_one_sync_in_place_of_all_that_waits(hub: Hub) -> None:
    one = viewer(everything=True)
    hub.enter(one)
    hub._spread([happening()] * (WAITING + 5))
    frames = heard(one)
    assert len(frames) < WAITING
    assert "event: sync" in frames[0]


def test_the_stream_of_somebody_whose_rights_changed_ends(hub: Hub) -> None:
    one, other = viewer(5), viewer(6)
    hub.enter(one)
    hub.enter(other)
    hub._spread([happening("user", event="USER_ROLE_CHANGED")])
    assert one.gone
    assert not other.gone
    assert "event: bye" in heard(one)[-1]


def test_closing_ends_all_streams(hub: Hub) -> None:
    one = viewer()
    hub.enter(one)
    hub.close()
    assert one.gone


def test_the_queue_of_a_viewer_belongs_to_the_running_loop() -> None:
    async def scenario() -> str:
        one = viewer()
        one.queue.put_nowait("frame")
        return await asyncio.wait_for(one.queue.get(), 1)

    assert asyncio.run(scenario()) == "frame"
