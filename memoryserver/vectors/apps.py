"""The vectors app."""

from django.apps import AppConfig


class VectorsConfig(AppConfig):
    """Collections of vectors in Postgres."""

    name = "memoryserver.vectors"
    label = "vectors"

    def ready(self) -> None:
        """Register the check that ends alerts about rows that have been deleted."""
        from memoryserver.ops import watch
        from memoryserver.vectors import backlog

        watch.register(backlog.end_alerts)
