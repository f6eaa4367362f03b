"""The limits app."""

from django.apps import AppConfig


class LimitsConfig(AppConfig):
    """Rate limits, and the table of Django's database cache."""

    name = "memoryserver.limits"
    label = "limits"
