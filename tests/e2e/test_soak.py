"""The short form of bench/soak.py: one fault of each kind, while agents and a laptop work."""

from __future__ import annotations

import os
from pathlib import Path

from bench import soak
from tests.support.database.migrated import Migrated


def test_server_survives_one_round_of_faults(tmp_path: Path, migrated: Migrated) -> None:
    disk = 400 if os.geteuid() == 0 else 0

    report = soak.run(
        tmp_path, seconds=0, agents=5, laptops=1, seed=1, disk=disk, pause=0.3, quiet=1.5, prepare=migrated.files
    )

    assert report.problems == []
    kinds = {fault.split(" of ")[0] for fault in report.faults}
    assert kinds == {"kill -9", "restart", "clock", *(["full disk"] if disk else [])}
    assert min(report.acknowledged[kind] for kind in ("entry", "call", "capture", "hook", "observation", "laptops")) > 0
