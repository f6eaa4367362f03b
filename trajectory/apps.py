"""The trajectory app."""

from django.apps import AppConfig


class TrajectoryConfig(AppConfig):
    """Tool calls of agents, findings of observers, and the observers' configuration."""

    name = "trajectory"
    verbose_name = "Trajectories"

    def ready(self) -> None:
        """Register the handler of tool calls posted by hooks, and the part of the home page."""
        from memoryserver.home import parts
        from memoryserver.hooks import handlers
        from trajectory.home import PART
        from trajectory.hooks import HANDLER

        handlers.register(HANDLER)
        parts.register(PART)
