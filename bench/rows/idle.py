"""What an executor costs that has nothing to do: queries, memory, processor time."""

from bench.figures import Figure
from bench.rows import drain
from bench.setting import Setting
from bench.waiting import rest


def measure(setting: Setting) -> list[Figure]:
    """One executor at default settings with its keeper, some seconds after its start."""
    seconds = setting.size(60, 30)
    with setting.executor() as executor:
        drain.wait_until_ready(setting, [executor])
        rest(3)
        setting.connection.execute("SELECT pg_stat_statements_reset()")
        before = executor.processor_seconds()
        rest(seconds)
        used = executor.processor_seconds() - before
        row = setting.connection.execute(
            "SELECT coalesce(sum(calls), 0)::float8 FROM pg_stat_statements "
            "WHERE query NOT LIKE '%pg_stat_statements%'"
        ).fetchone()
        memory = executor.memory_mb()
    assert row is not None
    return [
        Figure("idle executor, queries", "per s", [row[0] / seconds]),
        Figure("idle executor, memory with its keeper", "MB (PSS)", [memory]),
        Figure("idle executor, processor time", "ms per s", [used / seconds * 1000]),
    ]
