"""The ops app."""

from django.apps import AppConfig


class OpsConfig(AppConfig):
    """Health and operation."""

    name = "memoryserver.ops"
    label = "ops"

    def ready(self) -> None:
        """Note what becomes of jobs."""
        from memoryserver.ops import runs

        runs.connect()
