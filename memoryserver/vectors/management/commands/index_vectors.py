"""`manage.py index_vectors`: build the approximate indexes of large collections."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from memoryserver.vectors import indexes


class Command(BaseCommand):
    """A nightly job does the same for collections of up to 200,000 records."""

    help = "Build the approximate index of each collection that is too large for exact search, without blocking writes."
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        """Build the missing indexes; takes minutes for a million vectors."""
        for collection in indexes.collections_to_index():
            self.stdout.write(f"indexing {collection} …")
            indexes.build(collection)
        self.stdout.write("Every collection that needs an index has one.")
