"""Backups of the server: one file with everything it knows, and back from that file to a server."""

from __future__ import annotations


class BackupError(Exception):
    """A backup cannot be made, read or restored; one sentence that says why and what to do."""
