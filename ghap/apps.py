"""The ghap app."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.apps import AppConfig
from django.db.models.signals import post_delete

if TYPE_CHECKING:
    from ghap.models import Entry


class GhapConfig(AppConfig):
    """Goal, hypothesis, action, prediction: the journal's entries on the server."""

    name = "ghap"
    verbose_name = "GHAP journal"

    def ready(self) -> None:
        """Register the entries wherever they take part; their vectors are deleted with them."""
        from ghap.clustering import forget
        from ghap.context import FAILURES, WORKING
        from ghap.pages.home import PART
        from ghap.pages.sessions import entries_of
        from ghap.reading import FINDER, pages
        from ghap.recurring.recount import follow
        from ghap.search import SOURCE
        from ghap.transfer import KIND
        from memoryserver import agent_sessions
        from memoryserver.accounts import project_rows
        from memoryserver.accounts.transfer import kinds
        from memoryserver.context import sections
        from memoryserver.home import parts
        from memoryserver.inquiries import documents
        from memoryserver.search import lookup, sources

        agent_sessions.register("ghap", entries_of)
        documents.register("ghap", documents.Documents(pages))
        parts.register(PART)
        sources.register(SOURCE)
        lookup.register(FINDER)
        sections.register(FAILURES)
        sections.register(WORKING)
        project_rows.register(self.get_model("Clustering"), forget)
        project_rows.register(self.get_model("Failure"), follow)
        kinds.register(KIND)
        post_delete.connect(_delete_vectors, sender=self.get_model("Entry"), dispatch_uid="ghap")


def _delete_vectors(sender: Any, instance: Entry, **kwargs: Any) -> None:
    from ghap.persister import delete_vectors

    delete_vectors(instance)
