"""What may be asked of a schedule, one by one or many at once."""

from typing import Any, cast

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from jobs.api.jobs import detail
from jobs.api.shapes import JobDetailOutput, ReasonInput
from jobs.queries import visible_job
from scheduling.actions import (
    backfill_schedule,
    disable_schedule,
    pause_schedule,
    pause_schedules,
    restore_schedule,
    resume_schedule,
    resume_schedules,
    run_now,
)
from scheduling.api import shapes
from scheduling.api.schedules import detail_answer


class Pause(ApiView):
    @extend_schema(
        operation_id="pause_schedule",
        tags=["schedules"],
        request=ReasonInput,
        responses=shapes.ScheduleDetailOutput,
    )
    def post(self, request: Request, schedule_id: int) -> Response:
        """Stop its clock. A run under way goes on. 409 unless ENABLED."""
        pause_schedule(schedule_id=schedule_id, actor=self.actor, **self.given(ReasonInput))
        return detail_answer(self, schedule_id)


class Resume(ApiView):
    @extend_schema(
        operation_id="resume_schedule",
        tags=["schedules"],
        request=None,
        responses=shapes.ScheduleDetailOutput,
    )
    def post(self, request: Request, schedule_id: int) -> Response:
        """Let its clock fire it again, from the next time on. 409 from other states."""
        resume_schedule(schedule_id=schedule_id, actor=self.actor)
        return detail_answer(self, schedule_id)


class Disable(ApiView):
    @extend_schema(
        operation_id="disable_schedule",
        tags=["schedules"],
        request=None,
        responses=shapes.ScheduleDetailOutput,
    )
    def post(self, request: Request, schedule_id: int) -> Response:
        """Clear its times. It can still be run by hand."""
        disable_schedule(schedule_id=schedule_id, actor=self.actor)
        return detail_answer(self, schedule_id)


class Restore(ApiView):
    @extend_schema(
        operation_id="restore_schedule",
        tags=["schedules"],
        request=None,
        responses=shapes.ScheduleDetailOutput,
    )
    def post(self, request: Request, schedule_id: int) -> Response:
        """Pause a schedule whose lost task is there again, its times kept."""
        restore_schedule(schedule_id=schedule_id, actor=self.actor)
        return detail_answer(self, schedule_id)


class Run(ApiView):
    @extend_schema(
        operation_id="run_schedule",
        tags=["schedules"],
        request=shapes.RunInput,
        responses={201: JobDetailOutput},
    )
    def post(self, request: Request, schedule_id: int) -> Response:
        """Make its job now, and answer with it. 409 while a job of it is running."""
        job = run_now(schedule_id=schedule_id, actor=self.actor, **self.given(shapes.RunInput))
        return Response(detail(visible_job(self.actor, job.id), self), status=201)


class Backfill(ApiView):
    @extend_schema(
        operation_id="backfill_schedule",
        tags=["schedules"],
        request=shapes.BackfillInput,
        responses=shapes.BackfillOutput,
    )
    def post(self, request: Request, schedule_id: int) -> Response:
        """Run it for times that have passed; unless `dry_run` is false, only list them."""
        given = self.given(shapes.BackfillInput)
        done = backfill_schedule(schedule_id=schedule_id, actor=self.actor, **given)
        body = {
            "dry_run": given["dry_run"],
            "times": done.times,
            "run_before": done.run_before,
            "job_ids": [firing.job_id for firing in done.firings if firing.job_id is not None],
        }
        return Response(shapes.BackfillOutput(cast(Any, body)).data)


class Bulk(ApiView):
    @extend_schema(
        operation_id="act_on_schedules",
        tags=["schedules"],
        request=shapes.ScheduleBulkInput,
        responses=shapes.ScheduleBulkOutput,
    )
    def post(self, request: Request) -> Response:
        """Pause or resume up to 1,000 schedules, each for itself."""
        given = self.given(shapes.ScheduleBulkInput)
        if given["verb"] == "pause":
            bulk = pause_schedules(
                schedule_ids=given["ids"], actor=self.actor, reason=given["reason"]
            )
        else:
            bulk = resume_schedules(schedule_ids=given["ids"], actor=self.actor)
        items = [{"id": id_, "done": True, "code": "", "detail": ""} for id_ in bulk.done]
        items += [
            {"id": id_, "done": False, "code": error.code, "detail": error.message}
            for id_, error in bulk.refused.items()
        ]
        items.sort(key=lambda item: cast(int, item["id"]))
        return Response({"done": len(bulk.done), "refused": len(bulk.refused), "items": items})
