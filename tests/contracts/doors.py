"""Three doors to one room: a page, the API, and the action that both call, as a script would."""

from dataclasses import dataclass
from typing import Any, Protocol

from django.test import Client

from accounts.models import User
from controlplane.errors import ControlPlaneError
from jobs.actions.cancel import cancel_job
from jobs.actions.retry import discard_job, retry_job
from jobs.actions.verify import verify_job
from jobs.models import Job
from tests.api_client import api_for
from tests.conftest import actor_for, signed_in

#: verb -> the noun of its page, the word of its API address, what both send.
VERBS: dict[str, tuple[str, str, dict[str, str]]] = {
    "cancel": ("cancellation", "cancel", {}),
    "retry": ("retry", "retry", {}),
    "discard": ("discard", "discard", {}),
    "confirm": ("verification", "verification", {"decision": "confirm"}),
    "repeat": ("verification", "verification", {"decision": "repeat"}),
    "abandon": ("verification", "verification", {"decision": "abandon"}),
}
ACTIONS = {"cancel": cancel_job, "retry": retry_job, "discard": discard_job}


@dataclass(frozen=True)
class Said:
    """0 when the verb was obeyed; else the status of the refusal and its sentence."""

    refusal: int = 0
    sentence: str = ""


class Door(Protocol):
    def ask(self, person: User, verb: str, job: Job, reason: str = "") -> Said:
        """Ask for a verb in a person's name."""


class Page:
    def ask(self, person: User, verb: str, job: Job, reason: str = "") -> Said:
        noun, _, fields = VERBS[verb]
        client: Client = signed_in(person)
        response = client.post(f"/jobs/{job.id}/{noun}/", {**fields, "reason": reason})
        if response.status_code == 302:
            return Said()
        return Said(response.status_code, str(response.context["error"].message))


class Api:
    def ask(self, person: User, verb: str, job: Job, reason: str = "") -> Said:
        _, word, fields = VERBS[verb]
        body: dict[str, Any] = {**fields, "reason": reason}
        answer = api_for(person).post(f"/jobs/{job.id}/{word}", body)
        if answer.status == 200:
            return Said()
        return Said(answer.status, answer.body["detail"])


class Code:
    def ask(self, person: User, verb: str, job: Job, reason: str = "") -> Said:
        actor = actor_for(person)
        try:
            if action := ACTIONS.get(verb):
                action(job_id=job.id, actor=actor, reason=reason)
            else:
                verify_job(job_id=job.id, decision=verb, actor=actor, reason=reason)
        except ControlPlaneError as error:
            return Said(error.http_status, error.message)
        return Said()


DOORS: tuple[Door, ...] = (Page(), Api(), Code())
