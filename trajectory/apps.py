"""The trajectory app."""

from django.apps import AppConfig


class TrajectoryConfig(AppConfig):
    """Tool calls of agents, findings of observers, and the observers' configuration."""

    name = "trajectory"
    verbose_name = "Trajectories"

    def ready(self) -> None:
        """Register the handler of hooks and the part of the home page; configurations follow their project."""
        from memoryserver import agent_sessions
        from memoryserver.accounts import project_rows
        from memoryserver.accounts.transfer import kinds
        from memoryserver.home import parts
        from memoryserver.hooks import handlers
        from memoryserver.search import lookup
        from trajectory.configs import merge
        from trajectory.home import PART
        from trajectory.hooks import HANDLER
        from trajectory.sessions import FINDER, addresses
        from trajectory.transfer import KIND

        agent_sessions.register_pages(addresses)
        handlers.register(HANDLER)
        lookup.register(FINDER)
        parts.register(PART)
        project_rows.register(self.get_model("ObserverConfig"), merge)
        kinds.register(KIND)
