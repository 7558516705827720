"""What is told to systemd, through the socket that it names."""

import socket
from pathlib import Path

import pytest

from controlplane.systemd import notify


def test_a_state_arrives_as_one_datagram(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    address = str(tmp_path / "notify")
    monkeypatch.setenv("NOTIFY_SOCKET", address)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(address)
        assert notify("READY=1")
        assert manager.recv(100) == b"READY=1"


def test_an_at_sign_stands_for_the_abstract_namespace(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind("")  # the kernel picks a free name
        name = manager.getsockname()
        monkeypatch.setenv("NOTIFY_SOCKET", "@" + name[1:].decode())
        assert notify("WATCHDOG=1")
        assert manager.recv(100) == b"WATCHDOG=1"


def test_without_systemd_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    assert not notify("READY=1")


def test_a_socket_that_is_gone_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "gone"))
    assert not notify("READY=1")
