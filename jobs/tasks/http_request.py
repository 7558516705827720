"""Send one HTTP request and judge the answer: web hooks and health checks without code."""

import logging
import math
import time
from collections.abc import Mapping
from typing import Any

from django.tasks import task

from controlplane import conf
from controlplane.actors import Actor
from controlplane.errors import PermissionDenied
from jobs.errors import InvalidArguments, PermanentFailure
from jobs.runtime.context import JobContext
from jobs.tasks import argument_checks
from jobs.tasks.http_addresses import AddressRefused, NameNotResolved
from jobs.tasks.http_connection import HttpRequestFailed, Patience
from jobs.tasks.http_exchange import Answer, decoded, exchange
from jobs.tasks.http_message import Message, parse_message, redirected

MAX_REDIRECTS = 5
MAX_TIMEOUT_SECONDS = 3600
#: How much of the body the result shows, bytes.
BODY_START_BYTES = 2048

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
#: Answers of the 4xx kind that another attempt may change: timeout, too early, too many requests.
_PASSING_FAULTS = frozenset({408, 425, 429})
_DISABLED = (
    "http_request is switched off here. Whoever runs this installation can switch it on with the "
    "option http_request_enabled (HTTP_REQUEST_ENABLED in the environment)."
)


def guard_enqueue(arguments: Mapping[str, Any], actor: Actor) -> None:
    """Refuse the request before it is a job.

    Raises PermissionDenied where requests are switched off, InvalidArguments naming the argument
    that is wrong. Addresses are judged when the job runs, since names may change until then.
    """
    if not conf.options().http_request_enabled:
        raise PermissionDenied(_DISABLED)
    _check(arguments)


@task(takes_context=True, isolation="thread", max_attempts=4, guard=guard_enqueue)
def http_request(
    context: JobContext,
    url: str,
    method: str = "GET",
    headers: dict[str, str] | None = None,
    body: str | None = None,
    json: Any = None,
    expected_status: tuple[int, ...] | None = None,
    body_contains: str = "",
    timeout_seconds: float = 30,
) -> dict[str, Any]:
    """Send the request; succeed if the status is expected (default: any 2xx) and the text is there.

    Returns {"status", "elapsed_ms", "bytes", "body_start", "body_cut"}. Raises HttpRequestFailed
    for what another attempt may mend, PermanentFailure for what it cannot: an address that is
    refused, an unexpected 4xx status.
    """
    if not conf.options().http_request_enabled:
        raise PermanentFailure(_DISABLED, code="task_disabled")
    given = {
        "url": url,
        "method": method,
        "headers": headers,
        "body": body,
        "json": json,
        "expected_status": expected_status,
        "body_contains": body_contains,
        "timeout_seconds": timeout_seconds,
    }
    try:
        message, expected = _check(given)
        began = time.monotonic()
        answer = _follow(message, expected, Patience(context, timeout_seconds), context)
    except InvalidArguments as error:
        raise PermanentFailure(error.message, code="invalid_arguments") from error
    except AddressRefused as error:
        context.log(str(error), level=logging.WARNING)
        raise PermanentFailure(str(error), code="address_refused") from error
    except NameNotResolved as error:
        raise HttpRequestFailed(str(error), code="name_not_resolved") from error
    _judge(answer, expected, body_contains)
    return _result(answer, time.monotonic() - began)


def _check(given: Mapping[str, Any]) -> tuple[Message, frozenset[int] | None]:
    seconds = given.get("timeout_seconds", 30)
    is_number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    if not is_number or not math.isfinite(seconds) or not 0 < seconds <= MAX_TIMEOUT_SECONDS:
        raise argument_checks.refuse(
            "timeout_seconds", f"must be a number above 0 and at most {MAX_TIMEOUT_SECONDS}"
        )
    argument_checks.text(given.get("body_contains", ""), "body_contains")
    expected = given.get("expected_status")
    if expected is not None:
        expected = argument_checks.whole_numbers(
            expected, "expected_status", minimum=200, maximum=599
        )
    return parse_message(given), expected


def _follow(
    message: Message, expected: frozenset[int] | None, patience: Patience, context: JobContext
) -> Answer:
    for _ in range(MAX_REDIRECTS + 1):
        answer = exchange(message, patience)
        context.log(f"{message.method} {message.target} answered {answer.status}")
        wanted = expected is not None and answer.status in expected
        if wanted or answer.status not in _REDIRECTS or not answer.location:
            return answer
        message = redirected(message, answer.status, answer.location)
    raise PermanentFailure(f"More than {MAX_REDIRECTS} redirects.", code="too_many_redirects")


def _judge(answer: Answer, expected: frozenset[int] | None, body_contains: str) -> None:
    status = answer.status
    if not (200 <= status <= 299 if expected is None else status in expected):
        wish = "2xx" if expected is None else ", ".join(map(str, sorted(expected)))
        sentence = f"Status {status}, expected {wish}."
        if 400 <= status <= 499 and status not in _PASSING_FAULTS:
            raise PermanentFailure(sentence, code="http_status")
        raise HttpRequestFailed(sentence, code="http_status")
    if body_contains and body_contains not in answer.text:
        raise HttpRequestFailed(f"The body does not contain {body_contains!r}.", code="http_body")


def _result(answer: Answer, seconds: float) -> dict[str, Any]:
    start = decoded(answer.body[:BODY_START_BYTES], answer.charset)
    return {
        "status": answer.status,
        "elapsed_ms": round(seconds * 1000),
        "bytes": len(answer.body),
        "body_start": start.replace("\x00", "\ufffd"),
        "body_cut": answer.body_cut,
    }
