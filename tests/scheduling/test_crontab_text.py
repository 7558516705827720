"""Crontabs are read as cron reads them."""

import pytest

from scheduling.crontab_text import Entry, has_user_field, read_crontab

DEBIAN = """\
# /etc/crontab: system-wide crontab
SHELL=/bin/sh
PATH=/usr/local/sbin:/usr/local/bin:/sbin:/bin:/usr/sbin:/usr/bin

# Example of job definition:
# .---------------- minute (0 - 59)
# |  .------------- hour (0 - 23)
# *  *  *  *  * user-name command to be executed
17 *\t* * *\troot\tcd / && run-parts --report /etc/cron.hourly
25 6\t* * *\troot\ttest -x /usr/sbin/anacron || { cd / && run-parts /etc/cron.daily; }
#
"""


def only(text: str, *, system: bool = False) -> Entry:
    (entry,) = read_crontab(text, system=system).entries
    return entry


def test_a_system_crontab_has_a_user_in_each_line() -> None:
    hourly, daily = read_crontab(DEBIAN, system=True).entries
    assert (hourly.cron, hourly.user) == ("17 *\t* * *", "root")
    assert hourly.command == "cd / && run-parts --report /etc/cron.hourly"
    assert (daily.line_number, daily.user) == (10, "root")
    assert daily.variables["PATH"].startswith("/usr/local/sbin")


def test_the_drawing_of_the_fields_is_no_description() -> None:
    assert [e.description for e in read_crontab(DEBIAN, system=True).entries] == ["", ""]
    assert only("# m h  dom mon dow   command\n1 2 * * * true").description == ""


def test_the_comment_right_above_is_the_description() -> None:
    entries = read_crontab(
        "# Old\n\n# Back up the shop.\n#   Ask Ann.\n1 2 * * * backup\n3 4 * * * other\n",
        system=False,
    ).entries
    assert [e.description for e in entries] == ["Back up the shop.\nAsk Ann.", ""]


@pytest.mark.parametrize(
    ("line", "command", "stdin"),
    [
        ("* * * * * date +\\%H", "date +%H", ""),
        ("* * * * * mail ann%Hello,%%bye", "mail ann", "Hello,\n\nbye\n"),
        ("* * * * * cat%one\\%two%", "cat", "one%two\n"),
        ("* * * * * a = b", "a = b", ""),
    ],
)
def test_a_percent_sign_begins_standard_input(line: str, command: str, stdin: str) -> None:
    entry = only(line)
    assert (entry.command, entry.stdin) == (command, stdin)


def test_variables_hold_for_what_follows() -> None:
    text = '* * * * * a\nDIR = "/srv/my data"\n* * * * * b\nDIR=/tmp\n* * * * * c\n'
    entries = read_crontab(text, system=False).entries
    assert [e.variables.get("DIR") for e in entries] == [None, "/srv/my data", "/tmp"]


def test_cron_tz_is_the_zone_and_tz_is_for_the_command() -> None:
    table = read_crontab("CRON_TZ=Europe/Berlin\nTZ=Asia/Tokyo\n0 9 * * * x", system=False)
    (entry,) = table.entries
    assert (entry.zone, entry.variables) == ("Europe/Berlin", {"TZ": "Asia/Tokyo"})
    assert [number for number, _ in table.remarks] == [2]


def test_ignored_variables_are_said_to_be_ignored() -> None:
    table = read_crontab('MAILTO=""\n* * * * * x', system=False)
    assert table.remarks[0][0] == 1
    assert "MAILTO is ignored" in table.remarks[0][1]
    assert table.entries[0].variables == {}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("@reboot /bin/true", "@reboot is not supported"),
        ("* * * * *", "five time fields and a command"),
        ("hello", "five time fields"),
        ("@daily", "five time fields"),
        ("* * * * * %only input", "command is missing"),
    ],
)
def test_what_cannot_be_a_job_says_why(line: str, problem: str) -> None:
    assert problem in only(line).problem


def test_a_system_line_without_a_command_is_a_problem() -> None:
    assert "missing" in only("0 5 * * * root", system=True).problem


def test_names_of_times_and_odd_spacing_are_read() -> None:
    assert only("  @hourly\t /bin/true").cron == "@hourly"
    assert only("-*/5 * * * * root x", system=True).cron == "*/5 * * * *"
    assert only("0 5 * * * www:www x", system=True).user == "www"
    assert read_crontab("1 2 * * * a\r\n\r\n# x\r\n", system=False).entries[0].command == "a"


def test_the_user_field_is_found_out() -> None:
    users = frozenset({"root", "www"})
    assert has_user_field(DEBIAN, users)
    assert not has_user_field("0 5 * * * /usr/bin/backup now\n1 * * * * root-check all\n", users)
    assert not has_user_field("", users)
