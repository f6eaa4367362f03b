"""The digest app."""

from django.apps import AppConfig


class DigestConfig(AppConfig):
    """Subscriptions to the weekly mail."""

    name = "memoryserver.digest"
    label = "digest"
