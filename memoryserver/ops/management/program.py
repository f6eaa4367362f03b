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
    """Run one management command; say in one line that a setting is invalid or the database cannot be used.

    With --traceback the error of the database is raised instead.
    """
    name = Path(sys.argv[0]).name
    program = "memoryserver" if name == "program.py" else name
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryserver.settings")
    gc.disable()
    atexit.register(gc.freeze)
    try:
        from django.core.exceptions import ImproperlyConfigured
        from django.db import Error

        from memoryserver.ops.management.loading import CommandLine, trouble
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
    except Error as error:
        sentence = trouble(error)
        if sentence is None or "--traceback" in sys.argv:
            raise
        sys.exit(f"{program}: {sentence}")


if __name__ == "__main__":
    main()
