"""The server's management commands: the program `memoryserver` and manage.py run them.

Python's garbage collector does nothing while modules are loaded: what they define stays. It would look through all of
it again and again, and once more at the end, which is two fifths of the processor time of a short command.
"""

import atexit
import gc
import os
import sys
from pathlib import Path

NOT_INSTALLED = "Django is not installed here; run `make run`, or: pip install 'memoryserver[server]'"


def main() -> None:
    """Run one management command; report an invalid setting in one line, without a traceback."""
    name = Path(sys.argv[0]).name
    program = "memoryserver" if name == "program.py" else name
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryserver.settings")
    gc.disable()
    atexit.register(gc.freeze)
    try:
        from django.core.exceptions import ImproperlyConfigured

        from memoryserver.ops.management.loading import CommandLine
    except ImportError:
        sys.exit(f"{program}: {NOT_INSTALLED}")
    try:
        if sys.argv[1:] == ["embedding"]:
            # Without the apps, which would cost a third of its memory and half of its start.
            from memoryserver.ops import embedding_process

            gc.enable()
            embedding_process.main()
            return
        CommandLine(sys.argv).execute()
    except ImproperlyConfigured as error:
        sys.exit(f"{program}: {error}")


if __name__ == "__main__":
    main()
