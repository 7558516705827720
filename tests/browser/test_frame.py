"""What every page has: the way in and out, appearance, times."""

import re

import pytest
from playwright.sync_api import expect

from accounts.models import User
from tests.browser.conftest import OpenAs
from tests.factories import make_job

pytestmark = pytest.mark.browser


def test_choose_the_dark_appearance_and_keep_it(open_as: OpenAs, operator: User) -> None:
    page = open_as(operator, color_scheme="light")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_label(re.compile("^Account and appearance")).click()
    page.get_by_role("button", name="Dark").click()
    assert page.evaluate(ground) != light
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.get_by_label(re.compile("^Account and appearance")).click()
    page.get_by_role("button", name="System").click()
    assert page.evaluate(ground) == light


def test_see_ones_own_time_beside_utc(open_as: OpenAs, operator: User) -> None:
    make_job()
    page = open_as(operator, timezone_id="Asia/Kolkata", locale="en-GB")
    created = page.locator("td[data-label=Created] time")
    expect(created).to_have_attribute("title", re.compile(r"GMT\+5:30 \(your time\)$"))


def test_sign_out_and_find_the_door_closed(open_as: OpenAs, operator: User) -> None:
    page = open_as(operator)
    page.get_by_label(re.compile("^Account and appearance")).click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/login/")
    page.goto("/jobs/")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_reach_the_content_and_the_menu_by_keyboard(open_as: OpenAs, operator: User) -> None:
    page = open_as(operator)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#content")).to_be_focused()
    menu = page.get_by_label(re.compile("^Account and appearance"))
    menu.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Sign out")).to_be_hidden()
    expect(menu).to_be_focused()
