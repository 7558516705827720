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
    """A person (with an id), the system or a stranger (without one), and the roles in force now."""

    id: int | None
    label: str
    roles: frozenset[str] = frozenset()
    origin: Origin = field(default_factory=Origin)

    @property
    def is_system(self) -> bool:
        """Told by the role, not by the missing id: somebody not signed in has none either."""
        return "SYSTEM" in self.roles


#: The machine itself: loops, migrations, commands run on the host. It may do everything.
SYSTEM = Actor(id=None, label="system", roles=frozenset({"SYSTEM"}))
