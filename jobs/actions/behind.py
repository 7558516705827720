"""Ask for a job that waits its turn: behind the unfinished job that holds its overlap key."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.db import transaction

from controlplane.actors import Actor
from jobs.actions.cancel import cancel_job
from jobs.actions.enqueue import KEY_TRIES, JobRequest, enqueue_many
from jobs.errors import KeyTaken
from jobs.models import Job


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A request with an overlap key, and how it waits while another job holds that key."""

    request: JobRequest
    #: The overlap key that it holds while it waits: at most one job waits in each place.
    place: str
    #: Whether the holder is asked to stop for it.
    cancels: bool = False


@dataclass(frozen=True, slots=True)
class Placed:
    """The job, whether this call made it, and behind which one, perhaps asked to stop for it."""

    job_id: int
    created: bool
    behind: int | None = None
    cancels: bool = False


def enqueue_behind(turns: Sequence[Turn], *, actor: Actor) -> list[Placed | None]:
    """Enqueue each job now where nobody holds its overlap key, else to run after the holder.

    None stands where another job waits in that place already. All or none, as `enqueue_many`,
    whose errors it raises; KeyTaken when a key changes hands faster than it can be looked at.
    """
    with transaction.atomic():
        return _Placing(turns, actor).done()


class _Placing:
    """Rounds until each turn has its job or has found its place taken."""

    def __init__(self, turns: Sequence[Turn], actor: Actor) -> None:
        self.turns = turns
        self.actor = actor
        self.placed: dict[int, Placed | None] = {}

    def done(self) -> list[Placed | None]:
        left: list[int] = list(range(len(self.turns)))
        self._enqueue(left, {})
        for _ in range(KEY_TRIES):
            left = [i for i in left if i not in self.placed]
            if not left:
                break
            self._enqueue(left, self._holders(left))
            self._cancel(left)
        if len(self.placed) < len(self.turns):
            raise KeyTaken("The holders of the overlap keys end faster than others can follow.")
        return [self.placed[i] for i in range(len(self.turns))]

    def _enqueue(self, indices: Sequence[int], holders: Mapping[str, int]) -> None:
        """Each behind its holder, or at once where it has none."""
        requests = [self._request(self.turns[i], holders) for i in indices]
        for i, made in zip(indices, enqueue_many(requests, actor=self.actor), strict=True):
            holder = holders.get(_key(self.turns[i]))
            if made is not None:
                behind = holder if made.created else None
                self.placed[i] = Placed(made.job_id, made.created, behind)
            elif holder is not None:
                self.placed[i] = None

    def _request(self, turn: Turn, holders: Mapping[str, int]) -> JobRequest:
        key = _key(turn)
        if key not in holders:
            return turn.request
        return replace(turn.request, overlap_key=turn.place, waits_for_key=key, run_after=None)

    def _holders(self, indices: Sequence[int]) -> dict[str, int]:
        """Who holds the keys, locked by id: their ends wait for us, and then see who waits."""
        keys = {_key(self.turns[i]) for i in indices}
        rows = Job.objects.unfinished().filter(overlap_key__in=keys).order_by("id")
        locked = rows.select_for_update(no_key=True).values_list("overlap_key", "id")
        return {key: job_id for key, job_id in locked if key is not None}

    def _cancel(self, indices: Sequence[int]) -> None:
        """Once the other job waits: where the holder only waited too, that one goes on at once."""
        for i in indices:
            placed = self.placed.get(i)
            if self.turns[i].cancels and placed and placed.behind is not None:
                cancel_job(job_id=placed.behind, actor=self.actor, reason="a later run takes over")
                self.placed[i] = replace(placed, cancels=True)


def _key(turn: Turn) -> str:
    return turn.request.overlap_key or ""
