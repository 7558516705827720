"""Jobs that wait 5 ms each, as short requests do, in 100 threads of one executor."""

import time
from concurrent.futures import ThreadPoolExecutor

from bench.figures import Figure
from bench.rows import drain
from bench.setting import Setting

THREADS = 100
MILLISECONDS = 5


def measure(setting: Setting) -> list[Figure]:
    count = setting.size(20_000, 5000)
    ours: list[float] = []
    reference: list[float] = []
    for _ in range(setting.rounds):
        reference.append(_threads_alone(count))
        ours.append(_executor(setting, count))
    return [
        Figure(
            what=f"{MILLISECONDS} ms jobs, {THREADS} threads",
            unit="jobs/s",
            samples=ours,
            reference_is="the same calls in a thread pool, without any queue",
            reference=reference,
        )
    ]


def _threads_alone(count: int) -> float:
    with ThreadPoolExecutor(THREADS) as pool:
        before = time.perf_counter()
        list(pool.map(time.sleep, [MILLISECONDS / 1000] * count))
        return count / (time.perf_counter() - before)


def _executor(setting: Setting, count: int) -> float:
    return drain.executor_round(
        setting,
        count,
        1,
        "--threads",
        str(THREADS),
        work=drain.Work("bench.tasks.wait_a_little", f"[{MILLISECONDS}]", "{}"),
    )
