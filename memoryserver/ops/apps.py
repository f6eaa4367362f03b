"""The ops app."""

from django.apps import AppConfig


class OpsConfig(AppConfig):
    """Operations: health, alerts, metrics and schedules."""

    name = "memoryserver.ops"
    label = "ops"

    def ready(self) -> None:
        """Connect the recording of job results."""
        from memoryserver.ops import job_results

        job_results.connect()
