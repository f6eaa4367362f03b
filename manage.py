"""Django's command line for the server; `make run` calls its `up`."""

import os
import sys


def main() -> None:
    """Run one management command; report an invalid setting in one line, without a traceback."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryserver.settings")
    try:
        from django.core.exceptions import ImproperlyConfigured
        from django.core.management import execute_from_command_line
    except ImportError:
        sys.exit("manage.py: Django is not installed here; run `make run`, or: pip install -e '.[server]'")
    try:
        if sys.argv[1:] == ["embedding"]:
            # Without the apps, which would cost a third of its memory and half of its start.
            from memoryserver.ops import embedding_process

            embedding_process.main()
            return
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"manage.py: {error}")


if __name__ == "__main__":
    main()
