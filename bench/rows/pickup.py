"""How soon an idle executor begins a job, beside a notification heard by a bare connection."""

from bench.figures import Figure, percentile
from bench.rows import drain
from bench.setting import Setting, scratch_file

REFERENCE = "INSERT and NOTIFY in one statement until a bare LISTEN hears it"


def measure(setting: Setting) -> list[Figure]:
    """From before the call that enqueues, so with its commit, to the task's first line."""
    with (
        scratch_file() as path,
        scratch_file() as floor_path,
        setting.executor() as executor,
        setting.start("bench.floor", "listen", setting.dsn, str(floor_path)) as listener,
    ):
        listener.output.readline()
        drain.wait_until_ready(setting, [executor])
        rounds = [
            setting.run(
                "bench.client", "pickup", str(path), setting.dsn, str(floor_path), str(count)
            )
            for count in [setting.size(100, 100)] * setting.rounds
        ]
    return [_figure(rounds, name, share) for name, share in (("p50", 0.5), ("p99", 0.99))]


def _figure(rounds: list[dict[str, list[float]]], name: str, share: float) -> Figure:
    return Figure(
        what=f"idle pick-up {name}",
        unit="ms",
        samples=[percentile(found["ours"], share) for found in rounds],
        reference_is=REFERENCE,
        reference=[percentile(found["floor"], share) for found in rounds],
    )
