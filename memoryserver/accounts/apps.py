"""The accounts app."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Users, teams, projects and API tokens."""

    name = "memoryserver.accounts"
    label = "accounts"

    def ready(self) -> None:
        """Register how a project's earlier keys follow it."""
        from memoryserver.accounts import project_rows, renaming

        project_rows.register(self.get_model("ProjectAlias"), renaming.follow)
