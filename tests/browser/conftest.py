"""A real browser on a real server. No page may cause console errors or policy violations."""

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

from accounts.models import User
from tests.factories import PASSWORD
from tests.waiting import wait_until

#: Opens a page as this person; keyword arguments are those of Playwright's new_context.
OpenAs = Callable[..., Page]

CHROMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One browser for these tests, gone after them: its event loop must not run under others."""
    path = os.environ.get("CHROME") or next(filter(None, map(shutil.which, CHROMES)), None)
    if path is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("no Chromium: name one in CHROME")
    # Playwright's synchronous calls run inside of an event loop, which Django would else refuse.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        yield browser
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@dataclass(frozen=True)
class Site:
    url: str


@pytest.fixture
def site(transactional_db: None) -> Iterator[Site]:
    """The web process of the product, pages and live updates, in a thread on a free port."""
    config = uvicorn.Config(
        "controlplane.asgi:application", port=0, log_level="error", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    wait_until(lambda: server.started, what="the web server")
    port = server.servers[0].sockets[0].getsockname()[1]
    yield Site(f"http://127.0.0.1:{port}")
    server.should_exit = True
    thread.join(10)


@pytest.fixture
def open_as(browser: Browser, site: Site) -> Iterator[OpenAs]:
    """Pages of people who have signed in through the login form; complaints fail the test."""
    complaints: list[str] = []
    with ExitStack() as opened:

        def open_as(person: User, path: str = "/jobs/", **context: Any) -> Page:
            window = browser.new_context(base_url=site.url, **context)
            opened.callback(window.close)
            page = window.new_page()
            page.on("console", lambda message: complaints.extend(_complaint(message)))
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.goto(f"/login/?next={path}")
            page.get_by_label("E-mail address").fill(person.email)
            page.get_by_label("Password").fill(PASSWORD)
            page.get_by_role("button", name="Sign in").click()
            page.wait_for_url(f"**{path}")
            return page

        yield open_as
    assert complaints == []


def _complaint(message: ConsoleMessage) -> list[str]:
    return [message.text] if message.type in ("error", "warning") else []
