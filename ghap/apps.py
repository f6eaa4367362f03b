"""The ghap app."""

from django.apps import AppConfig


class GhapConfig(AppConfig):
    """Goal, hypothesis, action, prediction: the journal's entries on the server."""

    name = "ghap"
    verbose_name = "GHAP journal"

    def ready(self) -> None:
        """Register the entries with search and contexts."""
        from ghap.context import FAILURES, WORKING
        from ghap.search import SOURCE
        from memoryserver.context import sections
        from memoryserver.search import sources

        sources.register(SOURCE)
        sections.register(FAILURES)
        sections.register(WORKING)
