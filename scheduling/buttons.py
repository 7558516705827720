"""What a person may ask for on a schedule's page: the lifecycle's verbs, as far as roles allow."""

from dataclasses import dataclass

from accounts.permissions import allows
from controlplane.actors import Actor
from scheduling.lifecycle import verbs_for
from scheduling.models import JobSchedule


@dataclass(frozen=True, slots=True)
class Button:
    """A verb with its words and the URL name that it posts to."""

    verb: str
    label: str
    shape: str
    view: str
    question: str
    consequence: str
    confirm: str
    takes_reason: bool = False
    is_dangerous: bool = False


BUTTONS = (
    Button(
        verb="run",
        label="Run now",
        shape="play",
        view="scheduling:run",
        question="Run this schedule now?",
        consequence="Its job is made at once. The clock goes on as before.",
        confirm="Run it now",
        takes_reason=True,
    ),
    Button(
        verb="pause",
        label="Pause",
        shape="pause",
        view="scheduling:pause",
        question="Pause this schedule?",
        consequence="It fires no more until somebody resumes it. A run under way goes on.",
        confirm="Pause it",
        takes_reason=True,
    ),
    Button(
        verb="resume",
        label="Resume",
        shape="play",
        view="scheduling:resumption",
        question="Resume this schedule?",
        consequence="It fires again from its next time on. What passed meanwhile is not made up.",
        confirm="Resume it",
    ),
    Button(
        verb="restore",
        label="Restore",
        shape="retry",
        view="scheduling:restoration",
        question="Restore this schedule?",
        consequence="If its task is there again, it becomes paused with its times kept.",
        confirm="Restore it",
    ),
    Button(
        verb="disable",
        label="Clear times",
        shape="cross",
        view="scheduling:clearance",
        question="Clear the times of this schedule?",
        consequence="Its cron expression is removed. It can still be run by hand.",
        confirm="Clear them",
        is_dangerous=True,
    ),
    Button(
        verb="delete",
        label="Delete",
        shape="trash",
        view="scheduling:deletion",
        question="Delete this schedule?",
        consequence="It disappears and its name is free. Its jobs and the audit trail stay.",
        confirm="Delete it",
        is_dangerous=True,
    ),
)
#: Those that a row of the list has room for.
IN_ROWS = ("run", "pause", "resume", "restore")


def buttons_for(schedule: JobSchedule, execution_status: str, actor: Actor) -> list[Button]:
    """Buttons of the schedule's page, in the order of BUTTONS."""
    if not allows(actor, "schedules.act", owner_id=schedule.owner_id):
        return []
    verbs = {*verbs_for(schedule.schedule_status, execution_status), "delete"}
    return [button for button in BUTTONS if button.verb in verbs]


def row_buttons(schedule: JobSchedule, execution_status: str, actor: Actor) -> list[Button]:
    """The few of them that a row of the list shows."""
    return [b for b in buttons_for(schedule, execution_status, actor) if b.verb in IN_ROWS]
