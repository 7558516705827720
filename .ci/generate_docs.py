"""Writes the generated pages of docs/. With --check it only says which are out of step."""

import os
import sys
from pathlib import Path

import django

ROOT = Path(__file__).resolve().parent.parent

# Run as a script from .ci: neither the project nor its settings are known yet.
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "controlplane.settings")
django.setup()

from doc_pages import configuration, errors, lifecycle, scheduling  # noqa: E402 - needs Django set up

PAGES = {
    "docs/configuration.md": configuration.page,
    "docs/errors.md": errors.page,
    "docs/lifecycle.md": lifecycle.page,
    "docs/scheduling.md": scheduling.page,
}


def main(arguments: list[str]) -> int:
    check = "--check" in arguments
    stale = 0
    for path, page in PAGES.items():
        target = ROOT / path
        text = page()
        if target.exists() and target.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        print(f"{path}: {'out of step; run .ci/docs' if check else 'written'}")
        if not check:
            target.write_text(text, encoding="utf-8")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
