"""The capture app."""

from django.apps import AppConfig


class CaptureConfig(AppConfig):
    """Learnings out of transcripts, on the server."""

    name = "capture"

    def ready(self) -> None:
        """Let learnings be searched, told to sessions and found in hooks' events, figures and failures be looked at."""
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
