"""`manage.py assess_quality`: assess the hypotheses of stored entries again."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from ghap.assessor import assess_outdated
from memoryserver.embedding import EmbeddingModelError, service
from memoryserver.vectors.store import VectorStoreError


class Command(BaseCommand):
    """Assess entries after the rules have changed. A nightly job does the same. An interrupted run can be resumed."""

    help = "Assess the hypotheses of the entries that were assessed by older rules."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add --all."""
        parser.add_argument("--all", action="store_true", help="also entries that were assessed by the current rules")

    def handle(self, *args: Any, **options: Any) -> None:
        """Assess the entries and print how many."""
        try:
            assessed = assess_outdated(service(), everything=options["all"])
        except (EmbeddingModelError, VectorStoreError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"assessed: {assessed}")
