"""Which regions of which pages an event concerns. A test refuses a type that is not mapped."""

from audit.vocabulary import EventType

#: Names of regions; a page's element carries one in `data-live`. `{id}` is the event's target.
JOBS, JOB = "jobs", "job:{id}"
SCHEDULES, SCHEDULE = "schedules", "schedule:{id}"
AUDIT, QUEUES, USERS = "audit", "queues", "users"

_A_JOB = (JOBS, JOB, AUDIT)
#: A schedule's badges tell whether it runs, so its jobs' starts and ends concern the list as well.
_A_RUN = (*_A_JOB, SCHEDULES)
_A_SCHEDULE = (SCHEDULES, SCHEDULE, AUDIT)
_A_PERSON = (USERS, AUDIT)

REGIONS: dict[EventType, tuple[str, ...]] = {
    **{
        event: _A_RUN if event not in (EventType.JOB_CREATED, EventType.JOB_DUE) else _A_JOB
        for event in EventType
        if event.startswith("JOB_")
    },
    **{event: _A_SCHEDULE for event in EventType if event.startswith("SCHEDULE_")},
    **{event: (QUEUES, JOBS, AUDIT) for event in EventType if event.startswith("QUEUE_")},
    **{
        event: _A_PERSON
        for event in EventType
        if event.startswith(("USER_", "LOGIN_", "PASSWORD_", "TOKEN", "API_", "SESSION"))
        or event in ("LOGOUT", "ACCESS_DENIED")
    },
}


def regions_of(event_type: str, target_id: int | None) -> tuple[str, ...]:
    """The regions that an event concerns. Raises KeyError for a type that is not mapped."""
    return tuple(name.format(id=target_id) for name in REGIONS[EventType(event_type)])
