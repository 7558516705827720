"""A pytest plugin: once everything is imported and collected, each mutant has a fork of that.

The fork gives its fault to what is loaded already: new code to the functions of a module, another
folder to the stored statements. A fault in the database needs nothing more.
"""

import gc
import importlib
import inspect
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest
from django.db import connection

from tests.mutation.mutant import Mutant
from tests.mutation.workshop import QUIET, READY, Bench, Verdict, Workshop


def can_be_given(mutant: Mutant) -> bool:
    """Whether what is loaded can be given this fault."""
    return bool(mutant.sql) or mutant.within or mutant.path.endswith(".sql")


def run(workshop: Workshop, mutants: Sequence[Mutant], tell: Callable[[Verdict], None]) -> None:
    """Collect the tests once and try all these mutants."""
    bench = workshop.benches[0]
    workshop.enter(bench.tree, bench.database)
    plugin = _Trials(workshop, mutants, tell)
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
        pytest.main([*QUIET, "-s", *READY, *workshop.tests], plugins=[plugin])
    if plugin.error is not None:
        raise plugin.error


class _Trials:
    def __init__(
        self, workshop: Workshop, mutants: Sequence[Mutant], tell: Callable[[Verdict], None]
    ) -> None:
        self.workshop = workshop
        self.mutants = mutants
        self.tell = tell
        self.error: Exception | None = None
        self._session: pytest.Session | None = None

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """In place of the one loop, one in each fork."""
        self._session = session
        gc.freeze()  # a collection in a fork would copy every page of what it shares
        try:
            self.workshop.try_all(self.mutants, self._trial, self.tell)
        except Exception as error:  # noqa: BLE001 - pytest would keep it to itself
            self.error = error
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """In the fork; the workshop reads it."""
        if report.failed:
            os.write(1, f"FAILED {report.nodeid}\n".encode())

    def _trial(self, bench: Bench) -> int:
        assert self._session is not None
        connection.settings_dict["NAME"] = bench.database.removeprefix("test_")
        mutant = bench.mutant
        if mutant is not None and mutant.path.endswith(".sql"):
            _give_statements(bench.tree / mutant.path)
        elif mutant is not None and mutant.text:
            _give_code(mutant)
        return _run(self._session, Path(mutant.path).stem if mutant else "")


def _run(session: pytest.Session, stem: str) -> int:
    """The tests until the first failure, those of the module's own first."""
    items = sorted(session.items, key=lambda item: not item.path.name.startswith(f"test_{stem}"))
    for item, following in zip(items, [*items[1:], None], strict=True):
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.shouldfail:
            return 1
    return 0


def _give_statements(file: Path) -> None:
    statements: Any = importlib.import_module("jobs.sql")
    statements.__file__ = str(file.with_name("__init__.py"))
    statements.statement.cache_clear()


def _give_code(mutant: Mutant) -> None:
    """Run the faulty module aside, and hand its code to the functions that are loaded."""
    name = mutant.path.removesuffix(".py").replace("/", ".")
    module = importlib.import_module(name)
    aside: dict[str, Any] = {"__name__": name, "__file__": module.__file__}
    exec(compile(mutant.text, mutant.path, "exec"), aside)
    faulty = dict(_functions(aside, name))
    loaded = dict(_functions(vars(module), name))
    if not any(f"{mutant.place}.".startswith(f"{place}.") for place in loaded):
        raise LookupError(f"{mutant.place} is no function that is loaded")
    for place, function in loaded.items():
        code = faulty[place].__code__
        if len(code.co_freevars) == len(function.__code__.co_freevars):
            function.__code__ = code
            function.__defaults__ = faulty[place].__defaults__
            function.__kwdefaults__ = faulty[place].__kwdefaults__
        else:
            _replace(module, place, code)


def _replace(module: ModuleType, place: str, code: CodeType) -> None:
    """A method whose only `super()` was dropped: its code fits no function that had one."""
    owner, _, name = place.rpartition(".")
    holder: Any = getattr(module, owner) if owner else module
    setattr(holder, name, FunctionType(code, vars(module), name))


def _functions(names: dict[str, Any], module: str) -> Iterator[tuple[str, FunctionType]]:
    """The functions and methods that a module itself defines, by their qualified names."""
    for value in names.values():
        if inspect.isclass(value) and value.__module__ == module:
            for member in vars(value).values():
                yield from _own(member.fget if isinstance(member, property) else member, module)
        else:
            yield from _own(value, module)


def _own(value: Any, module: str) -> Iterator[tuple[str, FunctionType]]:
    """What is behind a decorator, if it is a function of the module's own."""
    function = inspect.unwrap(value) if callable(value) else value
    if inspect.isfunction(function) and function.__module__ == module:
        yield function.__qualname__, function
