import time
from pathlib import Path

from bench.moments import append_moment, last_moment


def test_the_last_reading_is_told(tmp_path: Path) -> None:
    path = str(tmp_path / "moments")
    for moment in (1.5, time.monotonic()):
        append_moment(path, moment)
        assert last_moment(path) == moment
