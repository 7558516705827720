"""Supervise the shell lines given as `name=line`, in the order in which they are to be stopped."""

import os
import sys
from pathlib import Path

from controlplane.supervision.output import Log
from controlplane.supervision.program import Program
from controlplane.supervision.supervisor import Supervisor


def main(lines: list[str]) -> None:
    programs = []
    for line in lines:
        name, _, script = line.partition("=")
        programs.append(Program(name, ("bash", "-c", script)))
    with Supervisor(
        programs, environment=os.environ, folder=Path("/"), log=Log(sys.stdout)
    ) as supervisor:
        supervisor.run()


if __name__ == "__main__":
    main(sys.argv[1:])
