"""Descendants are found whatever session they are in."""

import os
import subprocess
import sys

import pytest

from controlplane.supervision import strays
from tests.waiting import wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def test_children_of_children_are_descendants() -> None:
    with subprocess.Popen(["bash", "-c", "setsid sleep 600 & wait"]) as shell:
        try:
            found = wait_until(lambda: strays.descendants(shell.pid), what="the sleep")
            assert found[0] in strays.descendants(os.getpid())
        finally:
            for pid in strays.descendants(shell.pid):
                os.kill(pid, 9)


def test_those_we_know_are_not_strays() -> None:
    with subprocess.Popen(["sleep", "600"]) as child:
        assert child.pid in strays.adopted(())
        assert child.pid not in strays.adopted({child.pid})
        child.kill()


def test_reaping_leaves_the_known_to_their_owners() -> None:
    with subprocess.Popen(["false"]) as child:
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        strays.reap({child.pid})
        assert child.wait() == 1
