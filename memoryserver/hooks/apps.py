"""The hooks app."""

from django.apps import AppConfig


class HooksConfig(AppConfig):
    """Sessions of agents whose hooks post to the server."""

    name = "memoryserver.hooks"
    label = "hooks"
