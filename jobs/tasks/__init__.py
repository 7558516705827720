"""The built-in tasks, for people who have no code to deploy. Each is guarded by a setting."""

from jobs.tasks.http_request import http_request
from jobs.tasks.management_command import management_command
from jobs.tasks.run_command import run_command

__all__ = ["http_request", "management_command", "run_command"]
