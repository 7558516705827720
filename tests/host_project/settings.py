"""A Django project of somebody else that takes the product in: its own settings, not ours.

It has two apps of its own, puts everything under a prefix and lays the pages out by itself.
"""

import os
from pathlib import Path

import environ

from controlplane import places

HERE = Path(__file__).resolve().parent

SECRET_KEY = "the-host-project-has-a-key-of-its-own-of-fifty-characters-and-more"
ALLOWED_HOSTS = ["testserver"]
USE_TZ = True
TIME_ZONE = "Europe/Berlin"
ROOT_URLCONF = "tests.host_project.urls"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "accounts.User"
LOGIN_URL = "login"
STATIC_URL = "static/"
STATICFILES_DIRS = [places.STATIC]

DATABASES = {"default": environ.Env.db_url_config(os.environ["DATABASE_URL"])}
TASKS = {"default": {"BACKEND": "jobs.backend.ControlPlaneBackend", "QUEUES": []}}

INSTALLED_APPS = [
    "tests.host_project.shop",
    "tests.host_project.letters",
    "controlplane",
    "accounts",
    "audit",
    "jobs",
    "scheduling",
    "rest_framework",
    "django_htmx",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "controlplane.middleware.RequestOriginMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "controlplane.middleware.DomainErrorMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [HERE / "templates", places.TEMPLATES],
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

CONTROL_PLANE = {
    "base_template": "host/base.html",
    "schedules_path": "timed-work/",
    "datetime_format": "%d.%m.%Y %H:%M",
}
