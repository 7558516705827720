"""What a form says of a task."""

from scheduling.task_help import task_help


def test_a_task_is_told_by_its_signature_and_its_first_sentence() -> None:
    found = task_help("tests.sample_app.tasks.add")
    assert found is not None
    assert [(p.name, p.hint, p.default) for p in found.parameters] == [
        ("a", "int", ""),
        ("b", "int", "0"),
    ]
    noop = task_help("tests.sample_app.tasks.noop")
    assert noop is not None and noop.summary == "Do nothing." and noop.parameters == []


def test_the_context_is_no_argument_of_ones_own() -> None:
    found = task_help("tests.sample_app.tasks.flaky")
    assert found is not None
    assert [parameter.name for parameter in found.parameters] == ["failures", "witness"]


def test_an_unknown_task_has_no_help() -> None:
    for path in ("", "no.such", "os.system", "x" * 9999):
        assert task_help(path) is None
