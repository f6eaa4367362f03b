"""The capture app."""

from django.apps import AppConfig


class CaptureConfig(AppConfig):
    """Learnings out of transcripts, on the server."""

    name = "capture"

    def ready(self) -> None:
        """Let learnings be searched."""
        from capture.search import SOURCE
        from memoryserver.search import sources

        sources.register(SOURCE)
