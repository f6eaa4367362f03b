"""The trajectory app."""

from django.apps import AppConfig


class TrajectoryConfig(AppConfig):
    """Tool calls of agents, what observers found in them, and which observers look."""

    name = "trajectory"
    verbose_name = "Trajectories"
