"""The vectors app."""

from django.apps import AppConfig


class VectorsConfig(AppConfig):
    """Collections of vectors in Postgres."""

    name = "memoryserver.vectors"
    label = "vectors"
