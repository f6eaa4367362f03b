"""The access app."""

from django.apps import AppConfig


class AccessConfig(AppConfig):
    """Tokens on a page, the device flow, invitations and laptops."""

    name = "memoryserver.access"
    label = "access"
