"""The inquiries app."""

from django.apps import AppConfig


class InquiriesConfig(AppConfig):
    """Searches, contexts and documents that people and agents asked for."""

    name = "memoryserver.inquiries"
    label = "inquiries"

    def ready(self) -> None:
        """Forget old rows with the checks of each minute, and show the counts on the home page."""
        from memoryserver.home import parts
        from memoryserver.inquiries.home import PART
        from memoryserver.inquiries.records import forget_old
        from memoryserver.ops import watch

        parts.register(PART)
        watch.register(forget_old)
