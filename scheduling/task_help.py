"""What a form says of a task: what it does, and which arguments it takes."""

import inspect
from dataclasses import dataclass

from jobs.errors import TaskNotFound
from jobs.registry import task_named


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument as the task's author wrote it; an empty default means that it is needed."""

    name: str
    hint: str
    default: str


@dataclass(frozen=True, slots=True)
class TaskHelp:
    """A task in words."""

    name: str
    summary: str
    parameters: list[Parameter]
    sensitive: tuple[str, ...]


def task_help(path: str) -> TaskHelp | None:
    """None for a task that is not known here."""
    try:
        task = task_named(path)
    except TaskNotFound:
        return None
    signature = inspect.signature(task.func)
    found = list(signature.parameters.values())[1 if task.takes_context else 0 :]
    summary = (inspect.getdoc(task.func) or "").partition("\n\n")[0].replace("\n", " ")
    return TaskHelp(
        name=task.name,
        summary=summary,
        parameters=[_parameter(parameter) for parameter in found],
        sensitive=tuple(getattr(task, "sensitive", ())),
    )


def _parameter(parameter: inspect.Parameter) -> Parameter:
    stars = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}
    annotation, default = parameter.annotation, parameter.default
    empty = inspect.Parameter.empty
    return Parameter(
        name=stars.get(parameter.kind.name, "") + parameter.name,
        hint="" if annotation is empty else inspect.formatannotation(annotation),
        default="" if default is empty else repr(default),
    )
