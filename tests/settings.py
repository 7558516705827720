"""The project's settings and what only tests want: cheap passwords, sample apps, given options."""

import json
import os
from typing import Any

from controlplane.settings import *  # noqa: F403 - the one place where settings are extended
from controlplane.settings import CONTROL_PLANE as _CONTROL_PLANE
from controlplane.settings import INSTALLED_APPS as _INSTALLED_APPS

DEBUG = False
SECRET_KEY = "tests-only-key-of-more-than-fifty-characters-so-that-no-check-complains"
ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1"]
INSTALLED_APPS = [*_INSTALLED_APPS, "tests.sample_app", "tests.third_party_app"]

# The real hashers take a tenth of a second for each login.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# Files come straight from the finders when asked for; nothing is collected or scanned first.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True

# Processes that a test starts get their options this way (tests/started.py writes it).
_GIVEN: dict[str, Any] = json.loads(os.environ.get("CONTROL_PLANE_TEST_OPTIONS", "{}"))
CONTROL_PLANE = _CONTROL_PLANE | _GIVEN

# The web threads of the browser tests give their connections back, so that the database can go.
DATABASES["default"]["CONN_MAX_AGE"] = 0  # noqa: F405
