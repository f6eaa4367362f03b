"""The ops app."""

from django.apps import AppConfig


class OpsConfig(AppConfig):
    """Operations: health, alerts, metrics and schedules."""

    name = "memoryserver.ops"
    label = "ops"

    def ready(self) -> None:
        """Connect the recording of job results, and have the watch look at the backups and the disk."""
        from memoryserver.ops import job_results, watch
        from memoryserver.ops.backups import rotation
        from memoryserver.ops.doctor import disk_alert

        job_results.connect()
        watch.register(rotation.check_overdue)
        watch.register(disk_alert.check)
