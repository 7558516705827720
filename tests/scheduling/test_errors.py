"""Every error of schedules has a code of its own and names its field."""

from controlplane.errors import ControlPlaneError
from scheduling import errors


def test_codes_are_unique_and_fields_are_named() -> None:
    kinds = [
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type)
        and issubclass(kind, ControlPlaneError)
        and kind.__module__ == errors.__name__
    ]
    codes = [kind.code for kind in kinds]
    assert len(kinds) == len(set(codes)) == 8
    assert errors.InvalidCron().field == "cron"
    assert errors.InvalidZone().field == "timezone"
    assert errors.NameTaken().field == "name"


def test_a_stale_edit_knows_what_others_changed() -> None:
    assert errors.StaleEdit("So it is.", changed=["cron"]).changed == ("cron",)
