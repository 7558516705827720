"""What may be asked of a job, one by one or many at once."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from jobs import queries
from jobs.actions.bulk import Result, act_on_jobs
from jobs.actions.cancel import cancel_job
from jobs.actions.retry import discard_job, retry_job
from jobs.actions.verify import verify_job
from jobs.api import shapes
from jobs.api.jobs import detail


class JobVerb(ApiView):
    """Answers with the job as it is afterwards."""

    def answer(self, job_id: int) -> Response:
        return Response(detail(queries.visible_job(self.actor, job_id), self))


class Cancel(JobVerb):
    @extend_schema(
        operation_id="cancel_job",
        tags=["jobs"],
        request=shapes.ReasonInput,
        responses=shapes.JobDetailOutput,
    )
    def post(self, request: Request, job_id: int) -> Response:
        """Cancel a waiting job at once; ask a running one to stop. 409 when it has ended."""
        cancel_job(job_id=job_id, actor=self.actor, **self.given(shapes.ReasonInput))
        return self.answer(job_id)


class Retry(JobVerb):
    @extend_schema(
        operation_id="retry_job",
        tags=["jobs"],
        request=shapes.ReasonInput,
        responses=shapes.JobDetailOutput,
    )
    def post(self, request: Request, job_id: int) -> Response:
        """Queue a dead letter again with a fresh budget of attempts. 409 from other states."""
        retry_job(job_id=job_id, actor=self.actor, **self.given(shapes.ReasonInput))
        return self.answer(job_id)


class Discard(JobVerb):
    @extend_schema(
        operation_id="discard_job",
        tags=["jobs"],
        request=shapes.ReasonInput,
        responses=shapes.JobDetailOutput,
    )
    def post(self, request: Request, job_id: int) -> Response:
        """Cancel a dead letter for good. 409 from other states."""
        discard_job(job_id=job_id, actor=self.actor, **self.given(shapes.ReasonInput))
        return self.answer(job_id)


class Verification(JobVerb):
    @extend_schema(
        operation_id="verify_job",
        tags=["jobs"],
        request=shapes.VerificationInput,
        responses=shapes.JobDetailOutput,
    )
    def post(self, request: Request, job_id: int) -> Response:
        """Say whether an unconfirmed effect happened: confirm, repeat or abandon."""
        verify_job(job_id=job_id, actor=self.actor, **self.given(shapes.VerificationInput))
        return self.answer(job_id)


class Bulk(ApiView):
    @extend_schema(
        operation_id="act_on_jobs",
        tags=["jobs"],
        request=shapes.BulkInput,
        responses=shapes.BulkOutput,
    )
    def post(self, request: Request) -> Response:
        """Cancel, retry or discard up to 1,000 jobs, each for itself; `dry_run` only tells."""
        given = self.given(shapes.BulkInput)
        results = act_on_jobs(
            verb=given["verb"],
            job_ids=given["ids"],
            actor=self.actor,
            reason=given["reason"],
            dry_run=given["dry_run"],
        )
        refused = sum(result.error is not None for result in results)
        body = {
            "dry_run": given["dry_run"],
            "done": len(results) - refused,
            "refused": refused,
            "items": [_shown(result) for result in results],
        }
        return Response(body)


def _shown(result: Result) -> dict[str, object]:
    error = result.error
    return {
        "id": result.job_id,
        "done": error is None,
        "status": result.status,
        "code": error.code if error else "",
        "detail": error.message if error else "",
    }
