"""What a person may ask for on a job's page: the lifecycle's verbs, as far as roles allow."""

from dataclasses import dataclass

from accounts.permissions import allows
from controlplane.actors import Actor
from jobs import lifecycle
from jobs.models import Job


@dataclass(frozen=True, slots=True)
class Button:
    """A verb with its words and the URL name that it posts to; `decision` is a hidden field."""

    verb: str
    label: str
    shape: str
    view: str
    question: str
    consequence: str
    confirm: str
    is_dangerous: bool = False
    decision: str = ""


BUTTONS = (
    Button(
        verb="cancel",
        label="Cancel",
        shape="slash",
        view="jobs:cancellation",
        question="Cancel this job?",
        consequence="A waiting job is cancelled at once. A running attempt is asked to stop; a "
        "command or a child process is ended if it does not.",
        confirm="Cancel the job",
        is_dangerous=True,
    ),
    Button(
        verb="retry",
        label="Retry",
        shape="retry",
        view="jobs:retry",
        question="Retry this job?",
        consequence="It queues again at once, with the same arguments and a fresh budget of "
        "attempts.",
        confirm="Retry the job",
    ),
    Button(
        verb="discard",
        label="Discard",
        shape="trash",
        view="jobs:discard",
        question="Discard this job?",
        consequence="It leaves the dead letters as cancelled and cannot be retried any more.",
        confirm="Discard the job",
        is_dangerous=True,
    ),
    Button(
        verb="confirm",
        label="It happened",
        shape="check",
        view="jobs:verification",
        question="Did the effect happen?",
        consequence="You have looked and the effect is there: the job counts as succeeded.",
        confirm="Mark as succeeded",
        decision="confirm",
    ),
    Button(
        verb="repeat",
        label="Run again",
        shape="retry",
        view="jobs:verification",
        question="Run this job again?",
        consequence="You have looked and the effect did not happen: the job queues again.",
        confirm="Run it again",
        decision="repeat",
    ),
    Button(
        verb="abandon",
        label="Abandon",
        shape="trash",
        view="jobs:verification",
        question="Abandon this job?",
        consequence="Whatever became of the effect, nothing more is done: the job is cancelled.",
        confirm="Abandon the job",
        is_dangerous=True,
        decision="abandon",
    ),
)


def buttons_for(job: Job, actor: Actor) -> list[Button]:
    """Buttons of the page, in the order of BUTTONS. A requested cancel is not offered again."""
    if not allows(actor, "jobs.act", owner_id=job.owner_id):
        return []
    verbs = set(lifecycle.verbs_for(job.status))
    if job.cancel_requested_at is not None and job.status == lifecycle.Status.RUNNING:
        verbs.discard("cancel")
    return [button for button in BUTTONS if button.verb in verbs]
