"""Django's settings. This file alone reads the environment; see docs/configuration.md."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured
from django.utils.csp import CSP

from controlplane import env
from controlplane.conf import Options
from controlplane.signing import jwt_signing_key

BASE_DIR = Path(__file__).resolve().parent.parent
PRODUCTION = env.text("DJANGO_ENV", "development") == "production"
DEBUG = env.flag("DEBUG", default=False)

SECRET_KEY = env.secret("SECRET_KEY")
if not SECRET_KEY:
    if PRODUCTION:
        raise ImproperlyConfigured("SECRET_KEY (or SECRET_KEY_FILE) must be set in production.")
    SECRET_KEY = "development-only-key-that-production-refuses-to-start-without"  # noqa: S105
JWT_SIGNING_KEY = jwt_signing_key(
    env.secret("JWT_SIGNING_KEY"), secret_key=SECRET_KEY, production=PRODUCTION
)
ALLOWED_HOSTS = list(env.names("ALLOWED_HOSTS", "" if PRODUCTION else "localhost,127.0.0.1,[::1]"))
CSRF_TRUSTED_ORIGINS = list(env.names("CSRF_TRUSTED_ORIGINS"))

INSTALLED_APPS = [
    "controlplane",
    "accounts",
    "audit",
    "jobs",
    "scheduling",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "controlplane.middleware.RequestOriginMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "controlplane.middleware.DomainErrorMiddleware",
]
ROOT_URLCONF = "controlplane.urls"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]
ASGI_APPLICATION = "controlplane.asgi.application"


def _database() -> dict[str, Any]:
    """DATABASE_URL as Django wants it. For another kind of database Django's dummy stands in, which
    needs no driver: the system check controlplane.E001 then says what is wrong.
    """
    url = env.text("DATABASE_URL", "postgresql://postgres@/controlplane")
    engine = environ.Env.DB_SCHEMES.get(url.partition("://")[0], "")
    if "postg" not in engine:
        return {"ENGINE": "django.db.backends.dummy"}
    parsed: dict[str, Any] = environ.Env.db_url_config(url)
    parsed["OPTIONS"] = {
        "application_name": "controlplane",
        **parsed.get("OPTIONS", {}),
    }
    parsed["CONN_MAX_AGE"] = env.integer("DATABASE_CONN_MAX_AGE", 600, minimum=0, maximum=86_400)
    parsed["CONN_HEALTH_CHECKS"] = True
    return parsed


DATABASES = {"default": _database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

#: Rate limits and failed logins are counted here, in each web process for itself.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 50_000},
    }
}

TASKS = {"default": {"BACKEND": "jobs.backend.ControlPlaneBackend", "QUEUES": []}}

AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
#: The first administrator, for the bootstrap_admin command; blank: none is made.
BOOTSTRAP_ADMIN_EMAIL = env.text("BOOTSTRAP_ADMIN_EMAIL")
BOOTSTRAP_ADMIN_PASSWORD = env.secret("BOOTSTRAP_ADMIN_PASSWORD")
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "dashboard"

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
USE_I18N = False

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = Path(env.text("STATIC_ROOT", str(BASE_DIR / "var" / "staticfiles")))
WHITENOISE_USE_FINDERS = not PRODUCTION
WHITENOISE_AUTOREFRESH = DEBUG

SECURE_CSP = {
    "default-src": [CSP.SELF],
    "img-src": [CSP.SELF, "data:"],
    "object-src": [CSP.NONE],
    "base-uri": [CSP.NONE],
    "frame-ancestors": [CSP.NONE],
    "form-action": [CSP.SELF],
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
#: Seconds a page session lasts without a fresh login.
SESSION_COOKIE_AGE = env.integer("SESSION_SECONDS", 12 * 3600, minimum=300, maximum=30 * 86_400)
if PRODUCTION:
    SECURE_SSL_REDIRECT = env.flag("SECURE_SSL_REDIRECT", default=True)
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 31_536_000
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["accounts.api.bearer.BearerAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": ["controlplane.rest.parsers.JsonParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_THROTTLE_CLASSES": ["controlplane.rest.throttling.RequestThrottle"],
    "DEFAULT_SCHEMA_CLASS": "controlplane.rest.schema.ProblemSchema",
    "EXCEPTION_HANDLER": "controlplane.api.problems.answer",
    "DEFAULT_METADATA_CLASS": None,
    "URL_FORMAT_OVERRIDE": None,
    "UNAUTHENTICATED_USER": None,
}
SIMPLE_JWT: dict[str, Any] = {
    "ALGORITHM": "HS256",
    "SIGNING_KEY": JWT_SIGNING_KEY,
    "ISSUER": "controlplane",
    "AUDIENCE": "controlplane-api",
    #: How long a changed role may go unnoticed by the API.
    "ACCESS_TOKEN_LIFETIME": timedelta(minutes=15),
    "USER_ID_CLAIM": "sub",
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Control Plane",
    "DESCRIPTION": "Jobs, schedules, queues, people and the audit trail. See docs/api.md.",
    "VERSION": "1",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": {
        "JobStatus": "jobs.lifecycle.Status",
        "ExecutionOutcome": "jobs.lifecycle.Outcome",
        "AccountStatus": "accounts.models.User.Status",
        "Role": "accounts.roles.ROLES",
        "TokenScope": "accounts.models.PersonalToken.Scope",
        "ScheduleStatus": "scheduling.lifecycle.ScheduleStatus",
        "ScheduleExecutionStatus": "scheduling.lifecycle.ExecutionStatus",
        "FiringKind": "scheduling.models.Firing.Kind",
        "FiringOutcome": "scheduling.models.Firing.Outcome",
        "WorkerKind": "jobs.models.Worker.Kind",
        "JobVerb": ["cancel", "retry", "discard"],
        "ScheduleVerb": ["pause", "resume"],
    },
}

_DEFAULTS = Options()
CONTROL_PLANE: dict[str, Any] = {
    "executor_enabled": env.flag("EXECUTOR_ENABLED"),
    "executor_tick_seconds": env.number(
        "EXECUTOR_TICK_SECONDS",
        _DEFAULTS.executor_tick_seconds,
        minimum=0.05,
        maximum=3600,
    ),
    "executor_threads": env.integer(
        "EXECUTOR_THREADS", _DEFAULTS.executor_threads, minimum=1, maximum=500
    ),
    "executor_processes": env.integer(
        "EXECUTOR_PROCESSES", _DEFAULTS.executor_processes, minimum=1, maximum=100
    ),
    "claim_batch": env.integer("CLAIM_BATCH", _DEFAULTS.claim_batch, minimum=1, maximum=5000),
    "lease_seconds": env.number(
        "LEASE_SECONDS", _DEFAULTS.lease_seconds, minimum=0.5, maximum=86_400
    ),
    "lease_renewal_seconds": env.number(
        "LEASE_RENEWAL_SECONDS",
        _DEFAULTS.lease_renewal_seconds,
        minimum=0.1,
        maximum=28_800,
    ),
    "shutdown_grace_seconds": env.number(
        "SHUTDOWN_GRACE_SECONDS",
        _DEFAULTS.shutdown_grace_seconds,
        minimum=0,
        maximum=86_400,
    ),
    "kill_grace_seconds": env.number(
        "KILL_GRACE_SECONDS", _DEFAULTS.kill_grace_seconds, minimum=0, maximum=3600
    ),
    "scheduler_tick_seconds": env.number(
        "SCHEDULER_TICK_SECONDS",
        _DEFAULTS.scheduler_tick_seconds,
        minimum=0.05,
        maximum=3600,
    ),
    "scheduler_batch": env.integer(
        "SCHEDULER_BATCH", _DEFAULTS.scheduler_batch, minimum=1, maximum=10_000
    ),
    "schedule_limit": env.integer(
        "SCHEDULE_LIMIT", _DEFAULTS.schedule_limit, minimum=0, maximum=1_000_000
    ),
    "watchdog_tick_seconds": env.number(
        "WATCHDOG_TICK_SECONDS",
        _DEFAULTS.watchdog_tick_seconds,
        minimum=0.05,
        maximum=3600,
    ),
    "watchdog_batch": env.integer(
        "WATCHDOG_BATCH", _DEFAULTS.watchdog_batch, minimum=1, maximum=10_000
    ),
    "worker_report_seconds": env.number(
        "WORKER_REPORT_SECONDS",
        _DEFAULTS.worker_report_seconds,
        minimum=0.1,
        maximum=3600,
    ),
    "backoff_base_seconds": env.number(
        "BACKOFF_BASE_SECONDS",
        _DEFAULTS.backoff_base_seconds,
        minimum=0,
        maximum=86_400,
    ),
    "api_requests_per_minute": env.integer(
        "API_REQUESTS_PER_MINUTE",
        _DEFAULTS.api_requests_per_minute,
        minimum=1,
        maximum=1_000_000,
    ),
    "api_logins_per_minute": env.integer(
        "API_LOGINS_PER_MINUTE", _DEFAULTS.api_logins_per_minute, minimum=1, maximum=1_000_000
    ),
    "schedules_path": env.text("SCHEDULES_PATH", _DEFAULTS.schedules_path),
    "base_template": env.text("BASE_TEMPLATE", _DEFAULTS.base_template),
    "datetime_format": env.text("DATETIME_FORMAT", _DEFAULTS.datetime_format),
    "date_format": env.text("DATE_FORMAT", _DEFAULTS.date_format),
    "run_command_enabled": env.flag("RUN_COMMAND_ENABLED"),
    "http_request_enabled": env.flag("HTTP_REQUEST_ENABLED"),
    "http_request_allowed_private": env.names("HTTP_REQUEST_ALLOWED_PRIVATE"),
    "management_commands_allowed": env.names("MANAGEMENT_COMMANDS_ALLOWED"),
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {
            "format": env.text("LOG_FORMAT", "%(asctime)s %(levelname)s %(name)s: %(message)s")
        }
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain"}},
    # Two lines for each job are too many; failed attempts are logged by the executor itself.
    "loggers": {"django.tasks": {"level": "CRITICAL"}},
    "root": {"handlers": ["console"], "level": env.text("LOG_LEVEL", "INFO")},
}
