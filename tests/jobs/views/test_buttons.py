import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from controlplane.actors import SYSTEM, Actor
from jobs.lifecycle import TRANSITIONS, Status, verbs_for
from jobs.models import Job
from jobs.views.buttons import BUTTONS, buttons_for
from tests.controlplane.templatetags.test_components import SYMBOLS
from tests.factories import make_job


def verbs(job: Job, actor: Actor) -> set[str]:
    return {button.verb for button in buttons_for(job, actor)}


def test_every_verb_of_the_lifecycle_has_one_button() -> None:
    assert sorted(b.verb for b in BUTTONS) == sorted(t.verb for t in TRANSITIONS if t.verb)
    assert {button.shape for button in BUTTONS} <= SYMBOLS


@pytest.mark.parametrize("status", Status)
def test_buttons_are_the_verbs_of_the_state(status: Status) -> None:
    assert verbs(Job(status=status), SYSTEM) == set(verbs_for(status))


def test_a_cancel_that_was_requested_is_not_offered_again() -> None:
    job = Job(status=Status.RUNNING, cancel_requested_at=timezone.now())
    assert verbs(job, SYSTEM) == set()


def test_people_get_buttons_for_what_they_may_act_on(
    user: User, user_actor: Actor, other_user_actor: Actor, operator_actor: Actor
) -> None:
    job = Job(status=Status.PENDING, owner_id=user.pk)
    assert verbs(job, user_actor) == {"cancel"}
    assert verbs(job, operator_actor) == {"cancel"}
    assert verbs(job, other_user_actor) == set()


def test_somebody_without_a_role_gets_none(nobody: User, nobody_actor: Actor) -> None:
    assert verbs(Job(status=Status.PENDING, owner_id=nobody.pk), nobody_actor) == set()


def test_a_button_asks_first_and_posts_to_its_address(operator_client: Client) -> None:
    job = make_job(Status.NEEDS_VERIFICATION)
    page = operator_client.get(f"/jobs/{job.id}/").text
    assert page.count(f'method="post" action="/jobs/{job.id}/verification/"') == 3
    assert '<input type="hidden" name="decision" value="repeat">' in page
    assert 'popovertarget="repeat-dialog"' in page
    assert '<dialog class="dialog" id="repeat-dialog" popover' in page
