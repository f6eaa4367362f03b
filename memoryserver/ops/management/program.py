"""The server's management commands: the program `memoryserver` and manage.py run them."""

import os
import sys
from pathlib import Path

NOT_INSTALLED = "Django is not installed here; run `make run`, or: pip install 'memoryserver[server]'"


def main() -> None:
    """Run one management command; report an invalid setting in one line, without a traceback."""
    name = Path(sys.argv[0]).name
    program = "memoryserver" if name == "program.py" else name
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryserver.settings")
    try:
        from django.core.exceptions import ImproperlyConfigured
        from django.core.management import execute_from_command_line
    except ImportError:
        sys.exit(f"{program}: {NOT_INSTALLED}")
    try:
        if sys.argv[1:] == ["embedding"]:
            # Without the apps, which would cost a third of its memory and half of its start.
            from memoryserver.ops import embedding_process

            embedding_process.main()
            return
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"{program}: {error}")


if __name__ == "__main__":
    main()
