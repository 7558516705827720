"""Arguments and results as they may be shown: values of sensitive names are masked at any depth."""

import inspect
import re
from itertools import pairwise
from typing import Any

from jobs import registry
from jobs.errors import TaskNotFound
from jobs.models import Job

MASK = "•••"
#: A name with one of these words is masked whatever its task says; headers are full of them.
SUSPECT_WORDS = frozenset(
    {"password", "passwd", "secret", "token", "authorization", "cookie", "credentials", "apikey"}
)

_BETWEEN_WORDS = re.compile(r"[^A-Za-z]+|(?<=[a-z])(?=[A-Z])")


def shown_arguments(job: Job) -> tuple[list[Any], dict[str, Any]]:
    """The job's positional and named arguments with sensitive values masked."""
    names = sensitive_names(job.task)
    hidden_positions = _sensitive_positions(job, names)
    args = [
        MASK if index in hidden_positions else redacted(value, names)
        for index, value in enumerate(job.args)
    ]
    return args, redacted(job.kwargs, names)


def sensitive_names(task_path: str) -> frozenset[str]:
    """What the task declares as sensitive; nothing for a task that is not known here any more."""
    try:
        task = registry.task_named(task_path)
    except TaskNotFound:
        return frozenset()
    return frozenset(getattr(task, "sensitive", ()))


def redacted(value: Any, names: frozenset[str]) -> Any:
    """A copy of a JSON value in which members with sensitive names are masked."""
    if isinstance(value, dict):
        return {
            key: MASK if _is_sensitive(key, names) else redacted(member, names)
            for key, member in value.items()
        }
    if isinstance(value, list):
        return [redacted(member, names) for member in value]
    return value


def _is_sensitive(name: str, names: frozenset[str]) -> bool:
    words = [word.lower() for word in _BETWEEN_WORDS.split(name)]
    pairs = {first + second for first, second in pairwise(words)}
    return name in names or not SUSPECT_WORDS.isdisjoint({*words, *pairs})


def _sensitive_positions(job: Job, names: frozenset[str]) -> set[int]:
    """Places of the positional arguments that the task takes under sensitive names."""
    try:
        task = registry.task_named(job.task)
    except TaskNotFound:
        return set()
    taken = list(inspect.signature(task.func).parameters)[1 if task.takes_context else 0 :]
    named = zip(range(len(job.args)), taken, strict=False)
    return {index for index, name in named if _is_sensitive(name, names)}
