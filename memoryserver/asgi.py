"""ASGI entry point. The embedding model is loaded in the background once the process is up."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryserver.settings")

application = get_asgi_application()

from memoryserver import embedding  # noqa: E402  (settings must be configured first)

embedding.load_in_background()
