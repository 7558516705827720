"""Who acts: the value that every action takes and every audit event keeps."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a request came from, as far as it is known; empty for machines."""

    ip: str = ""
    user_agent: str = ""
    request_id: str = ""


@dataclass(frozen=True, slots=True)
class Actor:
    """A person (with an id) or the system (without one), and the roles in force for this act."""

    id: int | None
    label: str
    roles: frozenset[str] = frozenset()
    origin: Origin = field(default_factory=Origin)

    @property
    def is_system(self) -> bool:
        return self.id is None


#: The machine itself: loops, migrations, commands run by an operator on the host. It may do everything.
SYSTEM = Actor(id=None, label="system", roles=frozenset({"SYSTEM"}))
