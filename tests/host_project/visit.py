"""Run in a process of its own with the host's settings: visits pages, tells what it saw as JSON.

`python -m tests.host_project.visit USER_ID PLACE...`; a place with `#{...}` is posted to with these
fields.
"""

import json
import os
import sys
from typing import Any

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.host_project.settings"
django.setup()

from django.core.management import call_command  # noqa: E402 - needs Django set up
from django.test import Client  # noqa: E402

from accounts.models import User  # noqa: E402


def visit(user_id: str, places: list[str]) -> dict[str, Any]:
    """Status, place to go on to and text of each page."""
    client = Client()
    client.force_login(User.objects.get(pk=user_id))
    found = {}
    for whole in places:
        place, posted, fields = whole.partition("#")
        response = client.post(place, json.loads(fields)) if posted else client.get(place)
        found[place] = [response.status_code, response.headers.get("Location", ""), response.text]
    return found


if __name__ == "__main__":
    call_command("check", "--fail-level=ERROR", stdout=sys.stderr)
    call_command("makemigrations", "--check", "--dry-run", stdout=sys.stderr)
    sys.stdout.write(json.dumps(visit(sys.argv[1], sys.argv[2:])))
