"""The ops app."""

from django.apps import AppConfig


class OpsConfig(AppConfig):
    """Health and operation."""

    name = "memoryserver.ops"
    label = "ops"
