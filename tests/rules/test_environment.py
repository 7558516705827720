"""settings.py alone reads the environment; what runs before it is listed."""

import ast

from tests.rules.tree import listing, product

#: Modules that touch the environment, and why they cannot ask the settings.
ALLOWED = {
    "controlplane/asgi.py": "names the settings module",
    "controlplane/bootstrap.py": "runs before Django is installed",
    "controlplane/embedded_postgres/cluster.py": "hands PATH on to the server's programs",
    "controlplane/entry.py": "names the settings module, gives it the embedded database",
    "controlplane/env.py": "the typed readers behind settings.py",
    "controlplane/local_setup.py": "writes what the settings then read",
    "controlplane/python_search.py": "runs before Django is installed",
    "controlplane/systemd.py": "NOTIFY_SOCKET is a protocol with systemd, not a setting",
    "controlplane/test_command.py": "runs before the settings, for pytest to find a database",
    "controlplane/test_setup.py": "runs before the settings, for pytest to find a browser",
    "controlplane/up/programs.py": "gives the programs of a set-up their environment",
    "jobs/tasks/command_user.py": "commands get a few plain variables of their executor",
}


def test_no_other_module_touches_the_environment() -> None:
    touching = {
        module.path
        for module in product()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv", "putenv"}
        if isinstance(node.value, ast.Name) and node.value.id == "os"
    }
    assert not (offenders := sorted(touching - set(ALLOWED))), listing(offenders)
