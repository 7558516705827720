"""Tell systemd how the process fares (sd_notify), when it started us; see sd_notify(3)."""

import os
import socket


def notify(state: str) -> bool:
    """Send e.g. READY=1, WATCHDOG=1 or STOPPING=1; False when no service manager listens."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return False
    if address.startswith("@"):  # Linux's abstract namespace
        address = "\0" + address[1:]
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
            sender.sendto(state.encode(), address)
    except OSError:
        return False
    return True
