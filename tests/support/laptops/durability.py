"""What a call makes durable: the files and folders that it fsyncs, by inode, which a rename does not change."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def record_syncs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list to which each fsync from now on adds the inode of its file or folder."""
    synced: list[int] = []
    fsync = os.fsync

    def recorded(descriptor: int) -> None:
        synced.append(os.fstat(descriptor).st_ino)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", recorded)
    return synced


def inodes(*paths: Path) -> list[int]:
    """Return the inodes of `paths`."""
    return [path.stat().st_ino for path in paths]
