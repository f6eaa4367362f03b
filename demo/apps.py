"""The demo app."""

from django.apps import AppConfig


class DemoConfig(AppConfig):
    """A made-up team for screenshots and for a first look; it has no models."""

    name = "demo"
