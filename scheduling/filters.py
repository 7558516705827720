"""What a list of schedules can be narrowed to: each of the two statuses on its own."""

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.errors import InvalidInput
from scheduling.lifecycle import ExecutionStatus, ScheduleStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleFilter:
    """None asks for nothing."""

    schedule_status: ScheduleStatus | None = None
    execution_status: ExecutionStatus | None = None

    @property
    def is_narrowed(self) -> bool:
        return self.schedule_status is not None or self.execution_status is not None


def schedule_filter(parameters: Mapping[str, str]) -> ScheduleFilter:
    """Read `status` and `execution`. Raises InvalidInput naming the field and what is allowed."""
    return ScheduleFilter(
        schedule_status=_choice(parameters, "status", ScheduleStatus),
        execution_status=_choice(parameters, "execution", ExecutionStatus),
    )


def _choice[C: (ScheduleStatus, ExecutionStatus)](
    parameters: Mapping[str, str], name: str, choices: type[C]
) -> C | None:
    value = parameters.get(name, "").strip()
    if not value:
        return None
    if value not in choices.values:
        allowed = ", ".join(choices.values)
        raise InvalidInput(f"{name} must be one of {allowed}.", field=name)
    return choices(value)
