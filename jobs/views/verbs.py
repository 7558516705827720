"""What a person asks of a job. Each address is a noun, takes POST only, and leads back to it."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from accounts.authentication import actor_of
from controlplane.htmx import HtmxHttpRequest, signed_in
from jobs.actions.cancel import cancel_job
from jobs.actions.retry import discard_job, retry_job
from jobs.actions.verify import verify_job
from jobs.lifecycle import Status


@require_POST
@signed_in
def cancellation(request: HtmxHttpRequest, job_id: int) -> HttpResponse:
    job = cancel_job(job_id=job_id, actor=actor_of(request), reason=_reason(request))
    if job.status == Status.RUNNING:
        return _back(request, job_id, "Cancel requested. The attempt ends when it notices.")
    return _back(request, job_id, "The job is cancelled.")


@require_POST
@signed_in
def retry(request: HtmxHttpRequest, job_id: int) -> HttpResponse:
    retry_job(job_id=job_id, actor=actor_of(request), reason=_reason(request))
    return _back(request, job_id, "The job queues again.")


@require_POST
@signed_in
def discard(request: HtmxHttpRequest, job_id: int) -> HttpResponse:
    discard_job(job_id=job_id, actor=actor_of(request), reason=_reason(request))
    return _back(request, job_id, "The job is discarded.")


@require_POST
@signed_in
def verification(request: HtmxHttpRequest, job_id: int) -> HttpResponse:
    job = verify_job(
        job_id=job_id,
        decision=request.POST.get("decision", ""),
        actor=actor_of(request),
        reason=_reason(request),
    )
    return _back(request, job_id, f"Decided. The job is now {job.get_status_display().lower()}.")


def _reason(request: HtmxHttpRequest) -> str:
    return request.POST.get("reason", "").strip()


def _back(request: HtmxHttpRequest, job_id: int, message: str) -> HttpResponse:
    messages.success(request, message)
    return redirect("jobs:detail", job_id)
