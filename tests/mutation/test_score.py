"""The whole trial of the tests. It takes a quarter of an hour, so it runs only when asked for."""

import os
import subprocess
import sys

import pytest

from tests.mutation.workshop import ROOT
from tests.started import test_database_url


@pytest.mark.soak
@pytest.mark.django_db
def test_nine_mutants_of_ten_are_caught_and_the_others_explained() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.mutation"],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": test_database_url()},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-5_000:]
