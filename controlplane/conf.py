"""Our own options: what each means, its unit, its default and its bounds. `settings.CONTROL_PLANE`
overrides.

Read them with `conf.options()`; settings.py fills the dictionary from the environment.
"""

from dataclasses import dataclass, fields
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from controlplane.time_format import check_format


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    #: The executor runs only where it is enabled, so that a test or a web host never takes jobs by
    #: accident.
    executor_enabled: bool = False
    #: Longest time between two looks for work when no notification arrives, seconds.
    executor_tick_seconds: float = 5.0
    #: Threads that run tasks with isolation="thread".
    executor_threads: int = 10
    #: Child processes that run tasks with isolation="process" and suspects; started when first
    #: needed.
    executor_processes: int = 2
    #: Most jobs taken by one claim. Larger is faster for short tasks; the claim adapts below it.
    claim_batch: int = 500
    #: How much claimed work may wait inside an executor, seconds of work at the measured speed.
    prefetch_seconds: float = 0.2
    #: How long a claim lasts without renewal, seconds. A dead machine's jobs come back after this.
    lease_seconds: float = 60.0
    #: Time between renewals, seconds; at most a third of the lease (checked at start).
    lease_renewal_seconds: float = 15.0
    #: An executor whose main loop has not moved for this long counts as hung: its leases run out.
    #: Seconds.
    executor_hang_seconds: float = 600.0
    #: After SIGTERM, how long running attempts may finish before they are cancelled, seconds.
    shutdown_grace_seconds: float = 25.0
    #: After a cancel or timeout, how long between SIGTERM and SIGKILL for processes, seconds.
    kill_grace_seconds: float = 10.0
    #: A child process is replaced after so many attempts (0: never) ...
    child_max_attempts: int = 1000
    #: ... or when it holds more memory than this after an attempt, megabytes (0: no limit).
    child_max_memory_mb: int = 512
    #: Longest time between two looks for due schedules, seconds.
    scheduler_tick_seconds: float = 30.0
    #: Schedules turned into jobs in one transaction.
    scheduler_batch: int = 500
    #: Most schedules that may exist (0: no limit). Above it, the newest ones keep still.
    schedule_limit: int = 0
    #: Time between two looks for expired leases, seconds.
    watchdog_tick_seconds: float = 60.0
    #: Rows the watchdog treats in one transaction.
    watchdog_batch: int = 500
    #: Time between two reports of a worker about itself, seconds; silent for three of them it
    #: counts as dead.
    worker_report_seconds: float = 15.0
    #: Default number of attempts of a job (the first one and its retries), 1 to 21.
    default_max_attempts: int = 4
    #: First delay before a retry, seconds; it doubles with each attempt ...
    backoff_base_seconds: float = 10.0
    #: ... up to this, seconds.
    backoff_cap_seconds: float = 3600.0
    #: A job whose process died so often while it ran alone is given up.
    max_crashes_alone: int = 3
    #: Largest arguments or result of a job as JSON text, bytes.
    max_json_bytes: int = 1_000_000
    #: Deepest nesting of arguments or results.
    max_json_depth: int = 32
    #: Most log text kept of one execution, bytes; what follows is cut visibly.
    max_log_bytes: int = 4_000_000
    #: Longest stored error message, characters.
    max_error_chars: int = 4_000
    #: Longest stored traceback, characters.
    max_traceback_chars: int = 64_000
    #: Largest body of a request to the API, bytes.
    max_request_bytes: int = 2_500_000
    #: Requests to the API in a minute with one token.
    api_requests_per_minute: int = 600
    #: Requests to the API in a minute from one address without a token: logins and refreshes.
    api_logins_per_minute: int = 60
    #: Where the schedules' pages begin, below the site's root: a path that ends with a slash.
    schedules_path: str = "schedules/"
    #: The layout that the schedules' pages extend; docs/scheduling.md lists its blocks.
    base_template: str = "base.html"
    #: Times in histories and previews: text and the directives of `controlplane/time_format.py`.
    datetime_format: str = "%Y-%m-%d %H:%M:%S"
    #: Dates without a time of day, likewise.
    date_format: str = "%Y-%m-%d"
    #: Whether run_command may run. The built-in tasks are off unless a deployment turns them on.
    run_command_enabled: bool = False
    #: Whether http_request may run.
    http_request_enabled: bool = False
    #: host or host:port entries that http_request may reach although they are private addresses.
    http_request_allowed_private: tuple[str, ...] = ()
    #: Names of management commands that the management_command task may run.
    management_commands_allowed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.lease_renewal_seconds > self.lease_seconds / 3:
            raise ImproperlyConfigured(
                f"lease_renewal_seconds ({self.lease_renewal_seconds:g}) must be at most a third "
                f"of lease_seconds ({self.lease_seconds:g}), or a slow renewal loses live work."
            )
        if not 1 <= self.default_max_attempts <= 21:
            raise ImproperlyConfigured("default_max_attempts must be from 1 to 21.")
        check_format("datetime_format", self.datetime_format)
        check_format("date_format", self.date_format)
        if not self.schedules_path.endswith("/") or self.schedules_path.startswith("/"):
            raise ImproperlyConfigured("schedules_path must end with a slash, not begin with one.")
        if min(self.executor_threads, self.executor_processes, self.claim_batch) < 1:
            raise ImproperlyConfigured(
                "executor_threads, executor_processes and claim_batch must be at least 1."
            )


def _build(chosen: dict[str, Any]) -> Options:
    known = {field.name for field in fields(Options)}
    unknown = sorted(set(chosen) - known)
    if unknown:
        raise ImproperlyConfigured(f"CONTROL_PLANE has unknown options: {', '.join(unknown)}.")
    return Options(**chosen)


#: What was chosen when the options were last built, and those options: they are asked for at every
#: job, and comparing is cheaper than building. Replaced as a whole, so that threads see a pair.
_last: tuple[dict[str, Any], Options] = ({}, Options())


def options() -> Options:
    """The options in force. Raises ImproperlyConfigured for an unknown name or a value out of
    bounds.
    """
    global _last
    chosen: dict[str, Any] = getattr(settings, "CONTROL_PLANE", {})
    known, built = _last
    if chosen != known:
        built = _build(chosen)
        _last = (dict(chosen), built)
    return built
