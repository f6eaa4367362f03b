"""The trajectory app."""

from django.apps import AppConfig


class TrajectoryConfig(AppConfig):
    """Tool calls of agents, what observers found in them, and which observers look."""

    name = "trajectory"
    verbose_name = "Trajectories"

    def ready(self) -> None:
        """Take the tool calls that agents' hooks post."""
        from memoryserver.hooks import handlers
        from trajectory.hooks import HANDLER

        handlers.register(HANDLER)
