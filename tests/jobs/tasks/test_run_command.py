import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from controlplane.actors import SYSTEM, Actor
from controlplane.errors import PermissionDenied
from jobs import registry
from jobs.backend import JobTask
from jobs.errors import InvalidArguments, PermanentFailure, TaskCancelled, TaskTimedOut
from jobs.runtime.context import JobContext, StopSignal, detached_context
from jobs.tasks import run_command
from jobs.tasks.run_command import CommandFailed, guard_enqueue
from tests.jobs.tasks.conftest import ADMIN, OPERATOR, SetOptions, printed
from tests.waiting import wait_until

USER = Actor(id=3, label="uma", roles=frozenset({"USER"}))


@pytest.fixture(autouse=True)
def enabled(set_options: SetOptions) -> None:
    set_options(run_command_enabled=True, kill_grace_seconds=0.2)


def run(context: JobContext, **arguments: Any) -> dict[str, Any]:
    result: dict[str, Any] = run_command.func(context, **arguments)
    return result


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat[stat.rindex(")") + 2] not in "ZX"


def pid_in(path: Path) -> int:
    wait_until(lambda: path.exists() and path.read_text().strip() != "", what=f"{path} written")
    return int(path.read_text())


class Running:
    """A command in a thread of its own, so that a test can stop it meanwhile."""

    def __init__(self, **arguments: Any) -> None:
        self.stop = StopSignal()
        self.context = detached_context(run_command, stop_requested=self.stop)
        self.error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(arguments,), daemon=True)
        self._thread.start()

    def _run(self, arguments: dict[str, Any]) -> None:
        try:
            run(self.context, **arguments)
        except BaseException as error:  # noqa: BLE001 - handed to the test
            self.error = error

    def join(self) -> BaseException | None:
        self._thread.join(20)
        assert not self._thread.is_alive()
        return self.error


def test_it_is_known_by_its_dotted_path_and_runs_once() -> None:
    task = registry.task_named("jobs.tasks.run_command.run_command")
    assert task is run_command
    assert isinstance(task, JobTask)
    assert task.max_attempts == 1
    assert task.guard is guard_enqueue


def test_output_is_streamed_and_the_last_line_returned(context: JobContext) -> None:
    result = run(context, shell="echo one; echo two >&2; echo three; echo")
    assert result == {"exit_code": 0, "last_line": "three"}
    chunks = context.output.take()
    assert "".join(c.text for c in chunks if c.stream == "stdout") == "one\nthree\n\n"
    assert "".join(c.text for c in chunks if c.stream == "stderr") == "two\n"


def test_the_last_line_is_from_stderr_when_stdout_is_silent(context: JobContext) -> None:
    assert run(context, shell="echo only here >&2")["last_line"] == "only here"


def test_output_arrives_while_the_command_runs(tmp_path: Path) -> None:
    running = Running(shell=f"echo begun; while [ ! -e {tmp_path}/go ]; do sleep 0.02; done")
    wait_until(lambda: "begun" in printed(running.context))
    (tmp_path / "go").touch()
    assert running.join() is None


HOSTILE = [
    *"*~\\",
    "; id",
    "$(id)",
    "`id`",
    "a\nid",
    "-rf",
    "&& id",
    "| id",
    "$HOME",
    "'\"",
    "é😀",
    "",
]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_words_reach_the_program_as_they_are(context: JobContext, hostile: str) -> None:
    code = "import sys, os; print(ascii(sys.argv[1]), ascii(os.environ['GIVEN']))"
    result = run(context, argv=[*python(code), hostile], env={"GIVEN": hostile})
    assert result["last_line"] == f"{hostile!a} {hostile!a}"


def test_huge_output_on_both_streams_and_huge_input_do_not_lock_up(context: JobContext) -> None:
    code = (
        "import sys\n"
        "for _ in range(300):\n"
        "  for stream in (sys.stdout, sys.stderr): stream.write('x' * 9999 + '\\n')\n"
        "print(len(sys.stdin.read()))"
    )
    result = run(context, argv=python(code), stdin="x" * 900_000)
    assert result["last_line"] == "900000"
    assert context.output.is_cut


def test_a_command_that_closes_its_input_early_is_no_error(context: JobContext) -> None:
    assert run(context, shell="exec <&-; echo done", stdin="x" * 900_000)["last_line"] == "done"


def test_without_stdin_the_command_reads_the_end_at_once(context: JobContext) -> None:
    assert run(context, shell="cat; echo end")["last_line"] == "end"


def test_garbage_and_nul_in_the_output_are_safe(context: JobContext) -> None:
    result = run(context, shell=r"printf 'a\000b\377\033[31mred\033[0m\n'")
    assert result["last_line"] == "a b\ufffdred"
    assert printed(context) == "a\\x00b\ufffd\x1b[31mred\x1b[0m\n"


def test_an_unexpected_exit_code_fails_with_the_last_error_line(context: JobContext) -> None:
    with pytest.raises(CommandFailed, match=r"^exit code 3: no such thing$") as caught:
        run(context, shell="echo no such thing >&2; exit 3")
    assert caught.value.code == "exit_code"


def test_another_exit_code_may_be_the_expected_one(context: JobContext) -> None:
    assert run(context, shell="exit 3", expected_exit_codes=[0, 3])["exit_code"] == 3
    with pytest.raises(CommandFailed, match=r"^exit code 0$"):
        run(context, shell="true", expected_exit_codes=[3])


def test_death_by_a_signal_names_the_signal(context: JobContext) -> None:
    with pytest.raises(CommandFailed, match="ended by SIGSEGV"):
        run(context, shell="kill -SEGV $$")
    with pytest.raises(CommandFailed, match="ended by signal 40"):
        run(context, shell="kill -40 $$")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"argv": ["no-such-program-anywhere"]}, "command_not_found"),
        ({"argv": ["/etc/passwd/x"]}, "command_not_found"),
        ({"argv": ["/etc"]}, "command_not_executable"),
        ({"argv": ["true"], "cwd": "/no/such/folder"}, "cwd_not_found"),
        ({"argv": ["true"], "cwd": "/etc/passwd"}, "cwd_not_found"),
        ({"argv": ["true"], "run_as": "no-such-user"}, "no_such_user"),
        ({"argv": ["true"], "run_as": "a" * 255}, "no_such_user"),
        ({"argv": []}, "invalid_arguments"),
        ({"argv": ["true", *["x" * 100_000] * 60]}, "command_too_long"),
    ],
)
def test_what_cannot_be_started_fails_for_good(
    context: JobContext, arguments: dict[str, Any], code: str
) -> None:
    with pytest.raises(PermanentFailure) as caught:
        run(context, **arguments)
    assert caught.value.code == code


def test_cwd_and_env_are_as_given_and_secrets_stay_with_the_executor(
    context: JobContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://secret")
    monkeypatch.setenv("SECRET_KEY", "secret")
    run(context, shell="pwd; env", cwd=str(tmp_path), env={"COLOUR": "blue green"})
    lines = printed(context).splitlines()
    assert lines[0] == str(tmp_path)
    names = {line.partition("=")[0] for line in lines[1:]}
    assert "COLOUR=blue green" in lines
    assert {"PATH", "HOME", "LANG", "USER"} <= names
    assert not any("secret" in line for line in lines)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_run_as_drops_every_right_of_root(context: JobContext) -> None:
    run(context, shell="id -u; id -G; pwd; echo $HOME $USER $LOGNAME", run_as="nobody", cwd="/")
    uid, groups, cwd, names = printed(context).splitlines()
    assert uid == "65534"
    assert groups == "65534"
    assert cwd == "/"
    assert names.endswith("nobody nobody")


def test_a_command_in_its_own_session_is_tracked_while_it_runs(tmp_path: Path) -> None:
    tracked: list[int] = []
    at_end: list[bool] = []

    @contextmanager
    def track(pid: int) -> Iterator[None]:
        tracked.append(pid)
        yield
        at_end.append(alive(pid))

    def tracker(pid: int) -> AbstractContextManager[None]:
        return track(pid)

    context = detached_context(run_command, tracker=tracker)
    run(context, shell=f"echo $$ > {tmp_path}/pid; ps -o sid= -p $$ > {tmp_path}/sid")
    assert tracked == [int((tmp_path / "pid").read_text())]
    assert tracked == [int((tmp_path / "sid").read_text())]
    assert at_end == [False]


def test_cancel_ends_the_whole_tree(tmp_path: Path) -> None:
    line = (
        f"setsid sh -c 'trap \"\" TERM; echo $$ > {tmp_path}/far; while :; do sleep 9; done' &"
        f" sleep 99 & echo $! > {tmp_path}/near; wait"
    )
    running = Running(shell=line)
    far, near = pid_in(tmp_path / "far"), pid_in(tmp_path / "near")
    running.stop.set("cancel")
    error = running.join()
    assert isinstance(error, TaskCancelled)
    assert not alive(far)
    assert not alive(near)


def test_cancel_also_ends_a_daemon_whose_parents_are_gone(tmp_path: Path) -> None:
    line = f"(setsid sh -c 'sleep 99 & echo $! > {tmp_path}/daemon') & wait; sleep 99"
    running = Running(shell=line)
    daemon = pid_in(tmp_path / "daemon")
    running.stop.set("cancel")
    running.join()
    assert not alive(daemon)


def test_a_timeout_kills_what_ignores_sigterm_and_keeps_its_last_words(tmp_path: Path) -> None:
    line = f"trap 'echo not yet' TERM; echo $$ > {tmp_path}/pid; while :; do sleep 0.01; done"
    running = Running(shell=line)
    pid = pid_in(tmp_path / "pid")
    running.stop.set("timeout")
    assert isinstance(running.join(), TaskTimedOut)
    assert not alive(pid)
    assert "not yet" in printed(running.context)


def test_a_polite_command_is_stopped_quickly(tmp_path: Path, set_options: SetOptions) -> None:
    set_options(kill_grace_seconds=60)
    running = Running(shell=f"echo $$ > {tmp_path}/pid; exec sleep 99")
    pid_in(tmp_path / "pid")
    began = time.monotonic()
    running.stop.set("shutdown")
    assert isinstance(running.join(), TaskCancelled)
    assert time.monotonic() - began < 5


def test_children_left_in_the_session_are_ended_and_noted(
    context: JobContext, tmp_path: Path
) -> None:
    result = run(context, shell=f"sleep 99 & echo $! > {tmp_path}/left; echo done")
    assert result == {"exit_code": 0, "last_line": "done"}
    assert not alive(pid_in(tmp_path / "left"))
    assert "left processes behind" in printed(context, "stderr")


def test_children_that_closed_the_output_are_ended_too(context: JobContext, tmp_path: Path) -> None:
    run(context, shell=f"sleep 99 >/dev/null 2>&1 & echo $! > {tmp_path}/left")
    assert not alive(pid_in(tmp_path / "left"))


def test_a_daemon_started_on_purpose_survives(context: JobContext, tmp_path: Path) -> None:
    daemon = f"setsid sh -c 'echo $$ > {tmp_path}/daemon; exec sleep 99'"
    line = f"{daemon} & while [ ! -s {tmp_path}/daemon ]; do :; done"
    try:
        run(context, shell=line)
        assert alive(pid_in(tmp_path / "daemon"))
        assert "daemon keeps the output open" in printed(context, "stderr")
    finally:
        os.kill(pid_in(tmp_path / "daemon"), signal.SIGKILL)


def test_a_command_that_closes_its_outputs_early_is_awaited(context: JobContext) -> None:
    began = time.monotonic()
    with pytest.raises(CommandFailed, match="exit code 4"):
        run(context, shell="exec >&- 2>&-; sleep 0.3; exit 4")
    assert time.monotonic() - began >= 0.3


def test_a_log_that_fails_takes_the_command_with_it(tmp_path: Path) -> None:
    class Broken:
        def write(self, stream: str, data: bytes) -> None:
            raise OSError("no space")

    context = detached_context(run_command, output=Broken())
    with pytest.raises(OSError, match="no space"):
        run(context, shell=f"echo $$ > {tmp_path}/pid; echo x; sleep 99")
    assert not alive(pid_in(tmp_path / "pid"))


def test_a_failing_shell_pipeline_leaves_no_file_open(context: JobContext) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        run(context, shell="true")
        with pytest.raises(PermanentFailure):
            run(context, argv=["no-such-program-anywhere"])
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("actor", [ADMIN, SYSTEM], ids=lambda actor: actor.label)
def test_admins_and_the_system_may_choose_a_command(actor: Actor) -> None:
    guard_enqueue({"shell": "true"}, actor)
    guard_enqueue({"argv": ["true"]}, actor)


@pytest.mark.parametrize("actor", [OPERATOR, USER], ids=lambda actor: actor.label)
@pytest.mark.parametrize("given", [{"shell": "true"}, {"argv": ["sh", "-c", "true"]}])
def test_others_may_not(actor: Actor, given: dict[str, Any]) -> None:
    with pytest.raises(PermissionDenied, match="Only an ADMIN"):
        guard_enqueue(given, actor)


def test_bad_arguments_are_refused_before_there_is_a_job() -> None:
    with pytest.raises(InvalidArguments, match=r"argv\[1\] contains a NUL") as caught:
        guard_enqueue({"argv": ["echo", "a\x00b"]}, ADMIN)
    assert caught.value.field == "argv[1]"


def test_where_commands_are_off_they_are_refused_at_both_ends(
    context: JobContext, set_options: SetOptions
) -> None:
    set_options(run_command_enabled=False)
    with pytest.raises(PermissionDenied, match="RUN_COMMAND_ENABLED"):
        guard_enqueue({"argv": ["true"]}, SYSTEM)
    with pytest.raises(PermanentFailure, match="RUN_COMMAND_ENABLED") as caught:
        run(context, argv=["true"])
    assert caught.value.code == "task_disabled"
