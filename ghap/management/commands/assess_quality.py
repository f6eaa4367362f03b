"""`manage.py assess_quality`: judge the hypotheses of stored entries anew."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from ghap.assessor import assess_outdated
from memoryserver.embedding import EmbeddingModelError, service
from memoryserver.vectors.store import VectorStoreError


class Command(BaseCommand):
    """For when the rules have changed; every night a job does the same. Stopped and started again it goes on."""

    help = "Judge the hypotheses of the entries that an older version of the rules judged."

    def add_arguments(self, parser: CommandParser) -> None:
        """Whether really all."""
        parser.add_argument("--all", action="store_true", help="those that the present version judged, too")

    def handle(self, *args: Any, **options: Any) -> None:
        """Judge them, and say how many they were."""
        try:
            assessed = assess_outdated(service(), everything=options["all"])
        except (EmbeddingModelError, VectorStoreError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"assessed: {assessed}")
