"""The verbs that people and scripts may ask for. Each checks permission and records what it did."""

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
    "create_schedule",
    "delete_schedule",
    "disable_schedule",
    "pause_schedule",
    "restore_schedule",
    "resume_schedule",
    "run_now",
    "update_schedule",
]
