"""Temporary files that killed processes left behind."""

from __future__ import annotations

import os
from pathlib import Path

from memoryserver.client import home_folder, places
from memoryserver.common import files


def sweep() -> None:
    """Remove those older than an hour from the home folder, all below it, and the project's assessments.

    The journal removes its own. Raises OSError.
    """
    for folder, _, _ in os.walk(home_folder.path()):
        files.sweep_temporaries(Path(folder))
    files.sweep_temporaries(places.trajectory_dir(places.here().root))
