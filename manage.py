#!/usr/bin/env python3
"""The door to every command: `python3 manage.py up`, `python3 manage.py test`, `... help`."""

import sys

from controlplane import bootstrap

if __name__ == "__main__":
    bootstrap.ensure_environment()

    # Only importable once the environment stands.
    from controlplane.entry import main

    main(sys.argv)
