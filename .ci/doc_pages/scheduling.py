"""docs/scheduling.md: the rules, with examples that the code itself gives."""

from doc_pages import scheduling_examples as examples
from doc_pages.source import NOTICE, ROOT, row
from scheduling.cron_builder import PRESETS
from scheduling.lifecycle import SOURCES, MissedPolicy, OverlapPolicy, ScheduleStatus
from scheduling.models import MAX_JITTER_SECONDS, MAX_MISSED, MISSED_LIMIT, MISSED_WINDOW_SECONDS
from scheduling.schedule_file import written

TEXT = "prose/scheduling.md"
FILE = [
    {
        "name": "Nightly dump",
        "task": "jobs.tasks.run_command.run_command",
        "kwargs": {"shell": "pg_dump shop > shop.sql"},
        "cron": "15 2 * * *",
        "timezone": "Europe/Berlin",
        "enabled": True,
    }
]


def page() -> str:
    text = (ROOT / ".ci" / "doc_pages" / TEXT).read_text(encoding="utf-8")
    for name, lines in _parts().items():
        mark = f"{{{{ {name} }}}}"
        if text.count(mark) != 1:
            raise ValueError(f"{TEXT} must hold {mark} once.")
        text = text.replace(mark, "\n".join(lines).strip())
    title, _, rest = text.partition("\n")
    return f"{title}\n\n{NOTICE}{rest}"


def _parts() -> dict[str, list[str]]:
    return {
        "accepted": examples.accepted(),
        "refused": examples.refused(),
        "presets": [f"- `{text}`: {words}" for text, words in PRESETS],
        "changes": examples.at_changes(),
        "explained": examples.explained(),
        "intervals": examples.intervals(),
        "verbs": _verbs(),
        "overlap": examples.choices(OverlapPolicy.choices),
        "missed policies": examples.choices(MissedPolicy.choices),
        "missed": examples.missed(),
        "limits": _limits(),
        "crontab text": ["```", examples.CRONTAB.rstrip(), "```"],
        "crontab": examples.crontab(),
        "beat": examples.beat(),
        "file": ["```yaml", written(FILE, "shop", "yaml").rstrip(), "```"],
    }


def _verbs() -> list[str]:
    lines = [row("", *ScheduleStatus), "|---" * (len(ScheduleStatus) + 1) + "|"]
    for verb, sources in SOURCES.items():
        lines.append(row(verb, *("yes" if status in sources else "" for status in ScheduleStatus)))
    return lines


def _limits() -> list[str]:
    within = f"within {MISSED_WINDOW_SECONDS} s unless you say otherwise"
    at_most = f"at most {MISSED_LIMIT} jobs unless you say otherwise, up to {MAX_MISSED}"
    return [
        f"- jitter: at most {MAX_JITTER_SECONDS} s",
        f"- missed times are made up for {within}",
        f"- `run_all` makes {at_most}",
    ]
