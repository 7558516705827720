"""How fast one client enqueues, one by one and in bulk."""

from bench.figures import Figure
from bench.setting import Setting


def one_by_one(setting: Setting) -> list[Figure]:
    """`task.enqueue(...)`, each its own commit."""
    reference = "INSERT and NOTIFY in one prepared statement, no audit row"
    count = setting.size(3000, 2000)
    return [_figure(setting, "enqueue", "enqueue one by one", count, reference)]


def in_bulk(setting: Setting) -> list[Figure]:
    """`enqueue_many([...])`."""
    reference = "COPY of the job rows alone"
    count = setting.size(100_000, 20_000)
    return [_figure(setting, "bulk", "bulk enqueue", count, reference)]


def _figure(setting: Setting, action: str, what: str, count: int, reference_is: str) -> Figure:
    ours: list[float] = []
    reference: list[float] = []
    for _ in range(setting.rounds):
        reference.append(setting.run("bench.floor", action, setting.dsn, str(count)))
        ours.append(setting.run("bench.client", action, str(count)))
        setting.connection.execute("VACUUM (ANALYZE) jobs_job")
    return Figure(
        what=what,
        unit="jobs/s",
        samples=ours,
        reference_is=reference_is,
        reference=reference,
    )
