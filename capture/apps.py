"""The capture app."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.apps import AppConfig
from django.db.models.signals import post_delete, pre_delete

if TYPE_CHECKING:
    from capture.models import Learning


class CaptureConfig(AppConfig):
    """Learnings extracted from transcripts, on the server."""

    name = "capture"

    def ready(self) -> None:
        """Register capture wherever it takes part; vectors go with their learnings."""
        from capture import failures
        from capture.belief.following import note_commands
        from capture.context import SECTION
        from capture.home import PART
        from capture.hooks import HANDLER
        from capture.merging.projects import move_identities
        from capture.reading import FINDER
        from capture.review.sessions import learnings_of
        from capture.search import SOURCE
        from capture.transfer.learnings import KIND
        from memoryserver import agent_sessions
        from memoryserver.accounts import project_rows
        from memoryserver.accounts.transfer import kinds
        from memoryserver.context import sections
        from memoryserver.home import parts
        from memoryserver.hooks import commands, handlers
        from memoryserver.ops import watch
        from memoryserver.search import lookup, sources

        agent_sessions.register("capture", learnings_of)
        sources.register(SOURCE)
        lookup.register(FINDER)
        sections.register(SECTION)
        handlers.register(HANDLER)
        parts.register(PART)
        commands.register("capture", note_commands)
        _register_usage()
        _register_operations()
        watch.register(failures.give_up_old)
        project_rows.register(self.get_model("LearningIdentity"), move_identities)
        kinds.register(KIND)
        pre_delete.connect(_release_merged, sender=self.get_model("Learning"), dispatch_uid="capture merges")
        post_delete.connect(_delete_vectors, sender=self.get_model("Learning"), dispatch_uid="capture")


def _register_usage() -> None:
    from capture.belief.answers import DOCUMENTS
    from memoryserver.inquiries import documents

    documents.register("capture", DOCUMENTS)


def _register_operations() -> None:
    from capture.metrics.reports import families
    from capture.operations import SECTION
    from memoryserver.operations import sections
    from memoryserver.ops import metrics

    metrics.register(families)
    sections.register(SECTION)


def _release_merged(sender: Any, instance: Learning, **kwargs: Any) -> None:
    from capture.merging.merge import release

    release(instance, list(instance.merged.select_related("user", "project")))


def _delete_vectors(sender: Any, instance: Learning, **kwargs: Any) -> None:
    from capture.documents import delete_vectors

    delete_vectors(instance)
