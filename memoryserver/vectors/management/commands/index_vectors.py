"""`manage.py index_vectors`: build the approximate indexes of collections that have outgrown exact search."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from memoryserver.vectors import indexes


class Command(BaseCommand):
    """The job does the same by itself for collections of up to 200,000 records."""

    help = "Build the approximate index of each collection that has outgrown exact search; nothing waits for it."

    def handle(self, *args: Any, **options: Any) -> None:
        """Minutes for a million vectors."""
        for collection in indexes.grown():
            self.stdout.write(f"indexing {collection} …")
            indexes.build(collection)
        self.stdout.write("Every collection that needs an index has one.")
