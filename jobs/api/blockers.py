"""Why a job is not running, for scripts."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from jobs import queries
from jobs.api import shapes
from jobs.blockers import blockers_shown_to


class JobBlockers(ApiView):
    @extend_schema(operation_id="list_job_blockers", tags=["jobs"], responses=shapes.BlockersOutput)
    def get(self, request: Request, job_id: int) -> Response:
        """What keeps a job from running now, in the order that matters; none when it is next, runs
        or has ended.
        """
        job = queries.visible_job(self.actor, job_id)
        found = shapes.BlockerOutput(blockers_shown_to(self.actor, job), many=True).data
        return Response({"status": job.status, "blockers": found})
