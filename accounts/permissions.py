"""May this actor do this? Actions ask `require`; pages ask `allows`, so that both say the same."""

from types import EllipsisType

from accounts.roles import GRANTS
from controlplane.actors import Actor
from controlplane.errors import NotFound, PermissionDenied


def allows(actor: Actor, permission: str, *, owner_id: int | EllipsisType | None = ...) -> bool:
    """Whether `require` would let the actor pass. Raises KeyError for an unknown permission."""
    grant = GRANTS[permission]
    if actor.is_system or actor.roles & grant.over_all:
        return True
    if not actor.roles & grant.over_own:
        return False
    return owner_id is ... or _owns(actor, owner_id)


def require(actor: Actor, permission: str, *, owner_id: int | EllipsisType | None = ...) -> None:
    """Let the actor pass, or refuse. The system may everything.

    `owner_id` is the owner of the object at hand (None: nobody's); without it the question is
    whether the actor may do such a thing at all. Raises PermissionDenied; or NotFound for an object
    of somebody else, which must look as if it did not exist; KeyError for an unknown permission.
    """
    if allows(actor, permission, owner_id=owner_id):
        return
    if owner_id is ... or _owns(actor, owner_id):
        raise PermissionDenied
    raise NotFound


def sees_all(actor: Actor, permission: str) -> bool:
    """Whether a list shows everybody's things (`permission` is "jobs.see_all" or the like)."""
    return allows(actor, permission)


def _owns(actor: Actor, owner_id: int | None) -> bool:
    return actor.id is not None and actor.id == owner_id
