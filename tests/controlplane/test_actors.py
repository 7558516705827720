"""Who acts."""

from controlplane.actors import SYSTEM, Actor, Origin


def test_the_system_is_told_by_its_role() -> None:
    assert SYSTEM.is_system
    assert SYSTEM.id is None


def test_somebody_without_an_id_is_not_the_system() -> None:
    assert not Actor(id=None, label="anonymous").is_system
    assert not Actor(id=None, label="system").is_system


def test_an_actor_without_a_known_origin_has_an_empty_one() -> None:
    assert Actor(id=1, label="ada").origin == Origin("", "", "")
