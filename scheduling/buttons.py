"""What a person may ask for on a schedule's page: the lifecycle's verbs, as far as roles allow."""

from dataclasses import dataclass

from accounts.permissions import allows
from controlplane.actors import Actor
from controlplane.testids import Element
from scheduling.errors import InvalidTransition
from scheduling.lifecycle import verbs_for
from scheduling.models import JobSchedule


@dataclass(frozen=True, slots=True)
class Button:
    """A verb with its words and the URL name that it posts to; `has_page` asks there by itself."""

    verb: str
    testid: Element
    label: str
    shape: str
    view: str
    question: str
    consequence: str
    confirm: str
    takes_reason: bool = False
    has_page: bool = False
    is_dangerous: bool = False


BUTTONS = (
    Button(
        verb="run",
        testid=Element.SCHEDULE_RUN,
        label="Run now",
        shape="bolt",
        view="scheduling:run",
        question="Run this schedule now?",
        consequence="Its job is made at once. The clock goes on as before.",
        confirm="Run it now",
        takes_reason=True,
    ),
    Button(
        verb="pause",
        testid=Element.SCHEDULE_TOGGLE,
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
        testid=Element.SCHEDULE_TOGGLE,
        label="Resume",
        shape="play",
        view="scheduling:resumption",
        question="Resume this schedule?",
        consequence="It fires again from its next time on. What passed meanwhile is not made up.",
        confirm="Resume it",
    ),
    Button(
        verb="backfill",
        testid=Element.SCHEDULE_BACKFILL,
        label="Backfill",
        shape="layers",
        view="scheduling:backfill",
        question="Run this schedule for a past range?",
        consequence="Each time of the range becomes a job.",
        confirm="Choose the range",
        has_page=True,
    ),
    Button(
        verb="restore",
        testid=Element.SCHEDULE_RESTORE,
        label="Restore",
        shape="retry",
        view="scheduling:restoration",
        question="Restore this schedule?",
        consequence="If its task is there again, it becomes paused with its times kept.",
        confirm="Restore it",
    ),
    Button(
        verb="disable",
        testid=Element.SCHEDULE_CLEAR,
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
        testid=Element.SCHEDULE_DELETE,
        label="Delete",
        shape="trash",
        view="scheduling:deletion",
        question="Delete this schedule?",
        consequence="It disappears and its name is free. Its jobs and the audit trail stay.",
        confirm="Delete it",
        is_dangerous=True,
    ),
)
#: Done at once from a row: another click takes them back. The others ask first.
AT_ONCE = ("pause", "resume", "restore")


@dataclass(frozen=True, slots=True)
class RowActions:
    """What a row of the list offers: at once, after a question, and in its menu (asked too)."""

    at_once: list[Button]
    run: Button | None
    menu: list[Button]
    may_edit: bool


def buttons_for(schedule: JobSchedule, execution_status: str, actor: Actor) -> list[Button]:
    """Buttons of the schedule's page, in the order of BUTTONS."""
    if not allows(actor, "schedules.act", owner_id=schedule.owner_id):
        return []
    verbs = {*verbs_for(schedule.schedule_status, execution_status), "delete"}
    return [button for button in BUTTONS if button.verb in verbs]


def button_for(verb: str, schedule: JobSchedule, execution_status: str, actor: Actor) -> Button:
    """The button of this verb. Raises InvalidTransition when it is not offered now."""
    for button in buttons_for(schedule, execution_status, actor):
        if button.verb == verb:
            return button
    raise InvalidTransition(
        f"{schedule.name} is {schedule.schedule_status} and {execution_status}; "
        "this cannot be asked of it now."
    )


def row_actions(schedule: JobSchedule, execution_status: str, actor: Actor) -> RowActions:
    """The same buttons as a row shows them."""
    offered = buttons_for(schedule, execution_status, actor)
    return RowActions(
        at_once=[button for button in offered if button.verb in AT_ONCE],
        run=next((button for button in offered if button.verb == "run"), None),
        menu=[button for button in offered if button.verb not in {*AT_ONCE, "run"}],
        may_edit=allows(actor, "schedules.act", owner_id=schedule.owner_id),
    )
