"""Tasks for tests, from the tame to the hostile. `witness` is the path of a file to testify in."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from django.tasks import task

from jobs.errors import PermanentFailure, Snooze
from jobs.runtime.context import JobContext
from tests.sample_app.models import Note
from tests.sample_app.witness import testify, testimony

logger = logging.getLogger(__name__)

#: How often a waiting task looks for its file, seconds.
LOOK_EVERY = 0.01


class Flaw(Exception):
    """What a failing sample task raises."""

    code = "FLAW"


class Unprintable(Exception):
    """An error that fails again when somebody asks what it says, and cannot be pickled."""

    def __str__(self) -> str:
        raise RuntimeError("not even this can be said")

    __repr__ = __str__

    def __reduce__(self) -> str:
        raise TypeError("and it cannot be pickled")


@task
def noop() -> None:
    """Do nothing."""


@task
def add(a: int, b: int = 0) -> int:
    return a + b


@task
def echo(value: object = None) -> object:
    return value


@task
def leave_witness(witness: str, line: str = "ran") -> str:
    testify(witness, line)
    return line


@task(takes_context=True)
def identify(context: JobContext, witness: str) -> dict[str, int]:
    """Testify which job, execution, attempt and process this is."""
    facts = {
        "job": context.job_id,
        "execution": context.execution_id,
        "attempt": context.attempt,
        "pid": os.getpid(),
    }
    testify(witness, " ".join(f"{name}={value}" for name, value in facts.items()))
    return facts


@task
async def add_async(a: int, b: int = 0) -> int:
    return a + b


@task(priority=50, queue_name="urgent")
def urgent(witness: str, line: str) -> None:
    testify(witness, line)


@task(takes_context=True)
def report_progress(context: JobContext, steps: int) -> int:
    for step in range(1, steps + 1):
        context.progress(step, steps, f"step {step}")
    return steps


@task(unique_key="nightly")
def only_one(witness: str = "") -> None:
    """At most one unfinished job of this task exists."""
    if witness:
        testify(witness, "ran")


@task(sensitive=("password",))
def keep_secret(password: str) -> str:
    return f"used {len(password)} characters"


@task
def fail(message: str = "as asked") -> None:
    raise Flaw(message)


@task(max_attempts=1)
def fail_once(message: str = "as asked") -> None:
    raise Flaw(message)


@task
def fail_for_good(message: str = "no use trying again") -> None:
    raise PermanentFailure(message, code="NO_USE")


@task(takes_context=True, max_attempts=5, backoff=0)
def flaky(context: JobContext, failures: int, witness: str = "") -> int:
    """Fail on the first `failures` attempts, then return the attempt's number."""
    if witness:
        testify(witness, f"attempt {context.attempt}")
    if context.attempt <= failures:
        raise Flaw(f"attempt {context.attempt} of {failures} that fail")
    return context.attempt


@task(retry_on=(ConnectionError,), backoff=0)
def retries_connection_errors_only(kind: str) -> None:
    raise ConnectionError("try again") if kind == "connection" else Flaw("do not")


@task(never_retry=(Flaw,), backoff=0)
def never_retries_flaws(kind: str) -> None:
    raise Flaw("do not") if kind == "flaw" else ConnectionError("try again")


@task(takes_context=True)
def snooze(context: JobContext, seconds: float, times: int = 1) -> int:
    """Ask to be put back, `times` times, then finish."""
    if context.attempt <= times:
        raise Snooze(seconds=seconds)
    return context.attempt


@task
def returns_unserialisable() -> object:
    return {"lock": threading.Lock()}


@task
def returns(kind: str) -> object:
    """Return a value that looks like JSON and is not quite."""
    deep: list[object] = []
    for _ in range(200):
        deep = [deep]
    return {
        "nan": float("nan"),
        "nul": "a\x00b",
        "surrogate": "\ud800",
        "deep": deep,
        "large": "x" * 2_000_000,
        "tuple": (1, 2),
        "bytes": b"\xff",
    }[kind]


@task
def raises_unprintable() -> None:
    raise Unprintable


@task
def exits(status: int = 3) -> None:
    sys.exit(status)


@task
def interrupts() -> None:
    raise KeyboardInterrupt


@task(takes_context=True)
def slow(context: JobContext, until: str, witness: str = "") -> str:
    """Run until the file `until` exists, or until asked to stop."""
    return _wait_for_file(context, until, witness)


@task(takes_context=True, isolation="process")
def slow_in_child(context: JobContext, until: str, witness: str = "") -> str:
    return _wait_for_file(context, until, witness)


@task(takes_context=True, timeout=0.5)
def slow_with_timeout(context: JobContext, until: str, witness: str = "") -> str:
    return _wait_for_file(context, until, witness)


def _wait_for_file(context: JobContext, until: str, witness: str) -> str:
    _testify_if(witness, f"started {os.getpid()}")
    while not Path(until).exists():
        if context.stop_requested.wait(LOOK_EVERY):
            _testify_if(witness, f"stopped {context.stop_reason}")
            return "stopped"
    _testify_if(witness, "finished")
    return "finished"


@task(timeout=0.5)
def deaf(until: str, witness: str = "") -> None:
    """Run in a thread until the file exists, whatever anyone asks."""
    _testify_if(witness, "started")
    while not Path(until).exists():
        time.sleep(LOOK_EVERY)
    _testify_if(witness, "finished")


@task
def hears_nothing(until: str) -> None:
    """The same without a timeout."""
    while not Path(until).exists():
        time.sleep(LOOK_EVERY)


@task(isolation="process", timeout=0.5)
def ignores_sigterm(witness: str, until: str) -> None:
    """A child that shrugs off SIGTERM, and has a grandchild in another session that does so too."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
    grandchild = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    testify(witness, f"child {os.getpid()}")
    testify(witness, f"grandchild {grandchild.pid}")
    while not Path(until).exists():
        time.sleep(LOOK_EVERY)


@task
def hold_gil(seconds: float) -> None:
    """Keep the interpreter to itself: no other thread of this process runs until the loop ends."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(3600)
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            pass
    finally:
        sys.setswitchinterval(before)


@task
def crash(witness: str = "") -> None:
    """Kill the process that runs this, as the kernel does when memory is out."""
    _testify_if(witness, f"crashing {os.getpid()}")
    os.kill(os.getpid(), signal.SIGKILL)


@task(isolation="process")
def crash_child(witness: str = "") -> None:
    _testify_if(witness, f"crashing {os.getpid()}")
    os.kill(os.getpid(), signal.SIGKILL)


@task(isolation="process")
def crash_until(witness: str, times: int) -> int:
    """Crash until `times` lines stand in the witness file, then succeed."""
    testify(witness, f"attempt {os.getpid()}")
    if len(testimony(witness)) <= times:
        os.kill(os.getpid(), signal.SIGKILL)
    return len(testimony(witness))


@task(isolation="process")
def forks(witness: str) -> int:
    """Leave a fork behind that outlives the attempt unless somebody tidies up."""
    child = os.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)"])
    testify(witness, f"child {child}")
    return child


@task
def forks_and_returns(witness: str) -> int:
    """Return from both processes, as code does that forgets which one it is."""
    child = os.fork()
    if child:
        testify(witness, f"child {child}")
    return child


@task
def forks_and_stays(witness: str, until: str) -> int:
    """Leave a fork behind that runs none of another program: it shares all that was open."""
    child = os.fork()
    if child == 0:
        while not Path(until).exists():
            time.sleep(LOOK_EVERY)
        os._exit(0)
    testify(witness, f"child {child}")
    while not Path(until).exists():
        time.sleep(LOOK_EVERY)
    return child


@task(isolation="process")
def exits_hard(status: int = 7) -> None:
    os._exit(status)


@task(isolation="process")
def fill_memory(megabytes: int) -> int:
    return len(bytearray(megabytes * 1024 * 1024))


#: What keep_memory has kept.
_kept: list[bytearray] = []


@task(isolation="process")
def keep_memory(megabytes: int) -> int:
    """Leak."""
    _kept.append(bytearray(os.urandom(1024)) * (megabytes * 1024))
    return len(_kept)


@task(takes_context=True, isolation="process")
def tracks_a_group(context: JobContext, pgid: int, until: str, witness: str) -> None:
    with context.track_process_group(pgid):
        _wait_for_file(context, until, witness)


@task(takes_context=True)
def logs(context: JobContext, lines: int = 1) -> None:
    for number in range(lines):
        logger.warning("line %d of the task's logger", number)
    context.log("a line of the context")


@task(isolation="process")
def prints(lines: int = 1) -> None:
    for number in range(lines):
        print(f"out {number}")
        print(f"err {number}", file=sys.stderr)


@task(isolation="process")
def prints_then_waits(text: str, until: str, witness: str) -> None:
    sys.stdout.write(text)
    testify(witness, "printed")
    while not Path(until).exists():
        time.sleep(LOOK_EVERY)


@task(isolation="process")
def prints_garbage() -> None:
    os.write(1, b"nul \x00 invalid \xff\xfe end\n")


@task(takes_context=True)
def writes_output(context: JobContext, text: str, times: int = 1) -> None:
    for _ in range(times):
        context.write_output("stdout", text)


@task(transactional=True)
def write_note(text: str) -> int:
    """One row, which is there exactly when the job has succeeded."""
    return Note.objects.create(text=text).pk


@task(transactional=True, max_attempts=1)
def write_note_then_fail(text: str) -> None:
    Note.objects.create(text=text)
    raise Flaw("after the write")


@task(transactional=True, takes_context=True)
def write_note_slowly(context: JobContext, text: str, until: str, witness: str = "") -> int:
    note = Note.objects.create(text=text)
    _wait_for_file(context, until, witness)
    return note.pk


@task
def write_note_plainly(text: str) -> int:
    return Note.objects.create(text=text).pk


def _testify_if(witness: str, line: str) -> None:
    if witness:
        testify(witness, line)
