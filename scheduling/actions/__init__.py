"""The verbs that people and scripts may ask for. Each checks permission and records what it did."""

from scheduling.actions.backfill import backfill_schedule
from scheduling.actions.bulk import pause_schedules, resume_schedules
from scheduling.actions.create import create_schedule
from scheduling.actions.run import run_now
from scheduling.actions.transition import (
    delete_schedule,
    disable_schedule,
    pause_schedule,
    restore_schedule,
    resume_schedule,
)
from scheduling.actions.update import update_schedule

__all__ = [
    "backfill_schedule",
    "create_schedule",
    "delete_schedule",
    "disable_schedule",
    "pause_schedule",
    "pause_schedules",
    "restore_schedule",
    "resume_schedule",
    "resume_schedules",
    "run_now",
    "update_schedule",
]
