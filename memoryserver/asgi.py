"""The same for an ASGI server."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryserver.settings")

application = get_asgi_application()

from memoryserver import embedding  # noqa: E402  (settings must be there first)

embedding.load_in_background()
