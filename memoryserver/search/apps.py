"""The search app."""

from django.apps import AppConfig


class SearchConfig(AppConfig):
    """Search over all sources."""

    name = "memoryserver.search"
    label = "search"
