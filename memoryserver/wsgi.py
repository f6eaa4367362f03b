"""WSGI entry point. The embedding model is loaded in the background once the process is up."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryserver.settings")

application = get_wsgi_application()

from memoryserver import embedding  # noqa: E402  (settings must be configured first)

embedding.load_in_background()
