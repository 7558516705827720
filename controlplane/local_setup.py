"""What the project needs around it on a machine where nobody has configured anything.

`manage.py` applies this before Django's settings load, so it writes into the environment that
`settings.py` reads. A name that is set already is never touched.
"""

import os
import secrets
from pathlib import Path

from controlplane import embedded_postgres

ROOT = Path(__file__).resolve().parent.parent

#: Everything the set-up makes: database, secret key, first password, collected files.
VAR_DIR = Path(os.environ.get("CONTROL_PLANE_VAR") or ROOT / "var")

# Commands that work without a database; for all others the embedded one is started.
WITHOUT_DATABASE = frozenset(
    {"help", "version", "check", "collectstatic", "startapp", "startproject", "makemessages"}
)

# `up` starts the database itself, to tell about it; `bench` has a cluster of its own.
STARTS_IT_ITSELF = frozenset({"up", "bench"})


def is_wanted(arguments: list[str]) -> bool:
    """Say whether to set up this machine: no production, and no database given (or `up`)."""
    if os.environ.get("DJANGO_ENV") == "production":
        return False
    return not os.environ.get("DATABASE_URL") or arguments[:1] == ["up"]


def local_environment(var_dir: Path = VAR_DIR) -> dict[str, str]:
    """Return the settings of a local set-up as environment variables."""
    environment = {
        "DATABASE_URL": embedded_postgres.connection_url(var_dir),
        "EXECUTOR_ENABLED": "true",
        "RUN_COMMAND_ENABLED": "true",
        "HTTP_REQUEST_ENABLED": "true",
        "HTTP_REQUEST_ALLOWED_PRIVATE": "127.0.0.1,::1,localhost",
        "MANAGEMENT_COMMANDS_ALLOWED": "clearsessions",
    }
    if not os.environ.get("SECRET_KEY"):
        environment["SECRET_KEY_FILE"] = str(secret_key_file(var_dir))
    return environment


def apply(environment: dict[str, str]) -> None:
    for name, value in environment.items():
        os.environ.setdefault(name, value)


def uses_embedded_database(var_dir: Path = VAR_DIR) -> bool:
    """Say whether DATABASE_URL names the embedded server of this checkout."""
    return os.environ.get("DATABASE_URL") == embedded_postgres.connection_url(var_dir)


def needs_database(arguments: list[str]) -> bool:
    """Say whether a command line of manage.py is one for which the database must run."""
    if not arguments or {"-h", "--help", "--version"} & set(arguments):
        return False
    return arguments[0] not in WITHOUT_DATABASE | STARTS_IT_ITSELF


def secret_key_file(var_dir: Path) -> Path:
    """Return the file with this set-up's own key, making it once; only its owner can read it."""
    path = var_dir / "secret_key"
    make_var_dir(var_dir)
    if not path.exists():
        new = path.with_name(f"{path.name}.new-{os.getpid()}")
        new.touch(mode=0o600)
        new.write_text(secrets.token_urlsafe(48), encoding="ascii")
        try:
            # Of two set-ups at once the first one's key stays: a link never overwrites.
            path.hardlink_to(new)
        except FileExistsError:
            pass
        finally:
            new.unlink()
    return path


def make_var_dir(var_dir: Path) -> None:
    """Make the folder passable, since the database may run under another account than ours."""
    if not var_dir.exists():
        var_dir.mkdir(parents=True, exist_ok=True)
        var_dir.chmod(0o755)
    # Nothing is collected on such a machine, yet the static files' server looks for the folder.
    (var_dir / "staticfiles").mkdir(exist_ok=True)
