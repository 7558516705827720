"""What can be wrong with a schedule, each with its code."""

from collections.abc import Sequence

from controlplane.errors import Conflict, InvalidInput, NotFound


class ScheduleNotFound(NotFound):
    """No such schedule, or none that you may see."""

    code = "SCHEDULE_NOT_FOUND"


class InvalidSchedule(InvalidInput):
    """A value of the schedule is not valid."""

    code = "INVALID_SCHEDULE"


class InvalidCron(InvalidInput):
    """The cron expression is not valid."""

    code = "INVALID_CRON"

    def __init__(self, message: str = "", *, field: str = "cron") -> None:
        super().__init__(message, field=field)


class InvalidZone(InvalidInput):
    """The time zone is not known."""

    code = "INVALID_TIMEZONE"

    def __init__(self, message: str = "", *, field: str = "timezone") -> None:
        super().__init__(message, field=field)


class InvalidTransition(Conflict):
    """The schedule's present state does not allow this."""

    code = "INVALID_TRANSITION"


class NameTaken(Conflict):
    """The owner has another schedule of this name."""

    code = "NAME_TAKEN"

    def __init__(self, message: str = "", *, field: str = "name") -> None:
        super().__init__(message, field=field)


class ScheduleLimitReached(Conflict):
    """There are as many schedules as this installation allows."""

    code = "SCHEDULE_LIMIT_REACHED"


class StaleEdit(Conflict):
    """Someone changed the schedule meanwhile; read it again."""

    code = "STALE_EDIT"

    def __init__(self, message: str = "", *, changed: Sequence[str] = ()) -> None:
        """`changed` names the columns that others have changed since."""
        self.changed = tuple(changed)
        super().__init__(message)
