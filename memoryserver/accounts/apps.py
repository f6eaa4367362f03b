"""The accounts app."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Users, teams, projects and API tokens."""

    name = "memoryserver.accounts"
    label = "accounts"
