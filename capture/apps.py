"""The capture app."""

from django.apps import AppConfig


class CaptureConfig(AppConfig):
    """Learnings extracted from transcripts, on the server."""

    name = "capture"

    def ready(self) -> None:
        """Register capture with search, contexts, hooks, metrics and the watch."""
        from capture import failures
        from capture.context import SECTION
        from capture.hooks import HANDLER
        from capture.metrics import families
        from capture.search import SOURCE
        from memoryserver.context import sections
        from memoryserver.hooks import handlers
        from memoryserver.ops import metrics, watch
        from memoryserver.search import sources

        sources.register(SOURCE)
        sections.register(SECTION)
        handlers.register(HANDLER)
        metrics.register(families)
        watch.register(failures.give_up_old)
