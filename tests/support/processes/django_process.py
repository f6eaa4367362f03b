"""A process of its own that uses the tests' database; its rows must be committed (`transactional_db`)."""

from __future__ import annotations

import os
import subprocess
import sys

from django.db import connection

# The garbage collector leaves alone what is loaded, as in `ops.management.program`: a quarter of the processor time.
_SET_UP = """
import atexit, gc, sys
gc.disable()
atexit.register(gc.freeze)
import django
from django.conf import settings
settings.DATABASES["default"]["NAME"] = sys.argv[1]
django.setup()
gc.freeze()
gc.enable()
"""


def start(script: str, **environment: str) -> subprocess.Popen[str]:
    """Start `script` after Django's set-up; its standard output is a pipe."""
    return subprocess.Popen(
        [sys.executable, "-c", _SET_UP + script, str(connection.settings_dict["NAME"])],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )
