"""Templates carry no script, no style, no queries: the content policy is strict and stays free."""

import re

import pytest

from tests.rules.tree import ROOT, files, listing, relative

FORBIDDEN = {
    "a script without src": re.compile(r"<script(?![^>]*\bsrc=)[^>]*>", re.IGNORECASE),
    "a style element": re.compile(r"<style\b", re.IGNORECASE),
    "a style attribute": re.compile(r"\sstyle\s*=", re.IGNORECASE),
    "an event attribute": re.compile(r"\son[a-z]+\s*=", re.IGNORECASE),
    "script in an address": re.compile(r"javascript:", re.IGNORECASE),
    "hx-on, which is evaluated": re.compile(r"hx-on", re.IGNORECASE),
    "hx-vals in js": re.compile(r"js:\{", re.IGNORECASE),
    "an address of another host": re.compile(r"(?:src|href)=[\"']https?://", re.IGNORECASE),
    "text marked safe": re.compile(r"\|\s*safe\b|autoescape off"),
    "a query": re.compile(r"\.objects\b|\.(?:all|count|first|exists)\s*(?:%}|}}|\|)"),
}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_template_holds(what: str) -> None:
    found = [
        f"{relative(path)}: {match.group(0)}"
        for path in files(".html")
        if path.is_relative_to(ROOT / "templates")
        for match in FORBIDDEN[what].finditer(path.read_text(encoding="utf-8"))
    ]
    assert not found, listing(found)


@pytest.mark.parametrize(
    ("markup", "what"),
    [
        ("<script>1</script>", "a script without src"),
        ('<p style="color: red">', "a style attribute"),
        ('<a onclick="x()">', "an event attribute"),
        ("{{ text|safe }}", "text marked safe"),
        ("{% for job in queue.jobs.all %}", "a query"),
    ],
)
def test_the_rule_sees_it(markup: str, what: str) -> None:
    assert FORBIDDEN[what].search(markup)


def test_an_external_script_is_fine() -> None:
    assert not FORBIDDEN["a script without src"].search('<script defer src="/static/a.js">')
