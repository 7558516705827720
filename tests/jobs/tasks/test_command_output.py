from django.core.management.base import OutputWrapper

from jobs.runtime.context import JobContext
from jobs.tasks.command_output import CommandOutput
from tests.jobs.tasks.conftest import printed


def test_what_is_written_is_logged_at_once(context: JobContext) -> None:
    output = CommandOutput(context, "stderr")
    assert output.write("héllo\n") == 6
    assert printed(context, "stderr") == "héllo\n"
    assert output.last_line.text() == "héllo"


def test_it_serves_as_a_commands_stream(context: JobContext) -> None:
    output = CommandOutput(context, "stdout")
    assert output.writable()
    assert not output.isatty()
    wrapper = OutputWrapper(output)  # type: ignore[arg-type]
    wrapper.write("a line")
    print("printed", "too", file=output, flush=True)
    assert printed(context, "stdout") == "a line\nprinted too\n"


def test_text_that_cannot_be_stored_is_made_safe(context: JobContext) -> None:
    output = CommandOutput(context, "stdout")
    output.write("a\ud800\x00b\n")
    assert printed(context) == "a\ufffd\\x00b\n"
    assert output.last_line.text() == "a? b"
