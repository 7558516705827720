"""The guardian acts when its pipe ends without a goodbye, and only then."""

import subprocess
import sys
from pathlib import Path

from controlplane.supervision import guardian
from controlplane.supervision.guardian import Guardian

ROOT = Path(__file__).resolve().parents[3]


def tell(*lines: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", guardian.__name__]
    text = "".join(f"{line}\n" for line in lines)
    return subprocess.run(command, cwd=ROOT, input=text, capture_output=True, text=True, timeout=20)


def sleeper() -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sleep", "600"], start_new_session=True)


def test_after_a_goodbye_it_touches_nothing() -> None:
    with sleeper() as process:
        assert tell(f"+ {process.pid} 1", "bye").stderr == ""
        assert process.poll() is None
        process.kill()


def test_without_one_it_stops_what_still_runs() -> None:
    with sleeper() as running, sleeper() as ended:
        done = tell(f"+ {running.pid} 0.5", f"+ {ended.pid} 0.5", f"- {ended.pid}")
        assert "supervisor was killed" in done.stderr
        assert running.wait() == -15
        assert ended.poll() is None
        ended.kill()


def test_an_orderly_dismissal_ends_it() -> None:
    ours = Guardian(None)
    ours.tell("+ 999999999 1")
    ours.dismiss()
    assert ours._process.returncode == 0


def test_a_guardian_that_was_killed_itself_is_no_failure() -> None:
    ours = Guardian(None)
    ours._process.kill()
    ours._process.wait()
    ours.tell("+ 1 1")
    ours.dismiss()
