"""From a stored path to code: only inside the installed apps, and never with harm to others."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.tasks import Task
from pytest_django import Settings

import tests.sample_app
from jobs import registry
from jobs.backend import JobTask
from jobs.errors import TaskNotFound
from jobs.registry import known_tasks, task_named
from tests.sample_app import tasks

NOOP = "tests.sample_app.tasks.noop"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of modules: some inside the sample app, some outside of any."""
    noted = set(registry._noted)
    loaded = set(sys.modules)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(tests.sample_app, "__path__", [*tests.sample_app.__path__, str(tmp_path)])
    yield tmp_path
    for name in set(sys.modules) - loaded:
        del sys.modules[name]
    registry._noted.clear()
    registry._noted.update(noted)
    registry._discover.cache_clear()


def test_a_path_leads_to_its_task() -> None:
    assert task_named(NOOP) is tasks.noop
    assert isinstance(task_named(NOOP), JobTask)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "noop",
        "tests.sample_app.tasks",
        "tests.sample_app.tasks.nothing",
        "tests.sample_app.tasks.Flaw",
        "tests.sample_app.tasks.noop.func",
        "tests.third_party_app.tasks.not_a_task",
        "os.system",
        "tests.sample_app.nowhere.noop",
        "..",
        "a\x00b.c",
        "\ud800.x",
    ],
)
def test_a_path_without_a_task_is_told_so(path: str) -> None:
    with pytest.raises(TaskNotFound) as caught:
        task_named(path)
    assert caught.value.field == "task"
    assert repr(path) in caught.value.message


def test_a_module_outside_the_apps_is_never_imported(tree: Path) -> None:
    (tree / "outsider.py").write_text("raise SystemExit('imported')")
    with pytest.raises(TaskNotFound, match="No installed app"):
        task_named("outsider.noop")
    assert "outsider" not in sys.modules


def test_an_app_of_a_similar_name_is_outside(tree: Path) -> None:
    (tree / "jobs_of_others.py").write_text("raise SystemExit('imported')")
    with pytest.raises(TaskNotFound, match="No installed app"):
        task_named("jobs_of_others.noop")


def test_a_module_inside_an_app_is_imported_when_needed(tree: Path) -> None:
    (tree / "late.py").write_text(
        "from django.tasks import task\n@task\ndef later() -> None: pass\n"
    )
    found = task_named("tests.sample_app.late.later")
    assert isinstance(found, Task)
    assert known_tasks()["tests.sample_app.late.later"] is found


def test_a_broken_module_is_told_with_its_fault(tree: Path) -> None:
    (tree / "broken.py").write_text("raise RuntimeError('out of paper')")
    for _ in range(2):
        with pytest.raises(TaskNotFound, match="cannot be imported: out of paper"):
            task_named("tests.sample_app.broken.noop")


def test_an_app_whose_tasks_are_broken_costs_no_other_app_its_tasks(
    tree: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = tree / "brokenapp"
    app.mkdir()
    (app / "__init__.py").touch()
    (app / "tasks.py").write_text("raise RuntimeError('out of paper')")
    settings.INSTALLED_APPS = ["brokenapp", *settings.INSTALLED_APPS]
    said: list[dict[str, object]] = []
    monkeypatch.setattr(
        registry, "log_event", lambda name, **facts: said.append({"name": name, **facts})
    )
    registry._discover.cache_clear()
    assert NOOP in known_tasks()
    assert [(line["name"], line["module"]) for line in said] == [
        ("registry.broken", "brokenapp.tasks")
    ]


def test_all_tasks_are_known_sorted_by_path() -> None:
    found = known_tasks()
    assert list(found) == sorted(found)
    assert found[NOOP] is tasks.noop
    assert "tests.third_party_app.tasks.greet" in found
    assert "jobs.tasks.run_command.run_command" in found
    assert "tests.third_party_app.tasks.not_a_task" not in found
    assert all(path == task.module_path for path, task in found.items())


def test_an_alias_counts_once(tree: Path) -> None:
    (tree / "aliases.py").write_text("from tests.sample_app.tasks import noop as alias\n")
    assert task_named("tests.sample_app.aliases.alias") is tasks.noop
    assert "tests.sample_app.aliases.alias" not in known_tasks()
    assert NOOP in known_tasks()


def test_a_task_that_is_gone_is_not_known_any_more(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(tasks, "noop")
    assert NOOP not in known_tasks()


def test_a_copy_with_other_options_is_no_other_task() -> None:
    tasks.noop.using(priority=5)
    assert known_tasks()[NOOP].priority == 0
