"""`manage.py reembed`: move every collection to the configured model."""

from __future__ import annotations

import sys
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memoryserver import embedding
from memoryserver.common.counted import counted
from memoryserver.embedding import EmbeddingModelError
from memoryserver.vectors.reembedding import reembed, stale

_WIDTH = 30


class Command(BaseCommand):
    """Set MEMORYSERVER_EMBEDDING_MODEL to the new model, run this, then restart the server with that setting."""

    help = (
        "Embed every text again with the configured model, beside the old vectors, and switch at the end. "
        "Searches continue meanwhile. If it is interrupted, run it again to resume."
    )
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        """Move the collections. Raises CommandError if the model cannot be loaded or fails."""
        service = embedding.service()
        bar = _Bar()
        try:
            service.load()
            if not stale(service):
                self.stdout.write(f"Every collection already has vectors of {service.model_name}.")
                return
            result = reembed(service, bar.show)
        except EmbeddingModelError as error:
            raise CommandError(f"{error}. The vectors embedded so far are kept; run it again to resume.") from error
        finally:
            bar.end()
        self.stdout.write(
            f"{counted(result.embedded, 'text')} embedded; {', '.join(result.collections)} now have vectors of "
            f"{service.model_name}. A server with another model must be restarted with this one."
        )


class _Bar:
    """A progress bar on standard error; if that is not a terminal, one line per tenth."""

    def __init__(self) -> None:
        self._name = ""
        self._started = 0.0
        self._first = self._tenth = 0
        self._live = sys.stderr.isatty()

    def show(self, name: str, done: int, total: int) -> None:
        """See `reembedding.Report`."""
        if name != self._name:
            self.end()
            self._name, self._started, self._first, self._tenth = name, time.monotonic(), done, -1
        tenth = 10 * done // total if total else 10
        if not self._live and tenth == self._tenth:
            return
        self._tenth = tenth
        filled = _WIDTH * done // total if total else _WIDTH
        rate = (done - self._first) / max(time.monotonic() - self._started, 0.001)
        remaining = f", {(total - done) / rate:.0f} s left" if rate and done < total else ""
        line = f"{name} [{'#' * filled}{'.' * (_WIDTH - filled)}] {done}/{total}{remaining}"
        sys.stderr.write(f"\r{line}\x1b[K" if self._live else f"{line}\n")
        sys.stderr.flush()

    def end(self) -> None:
        """End the line of the progress bar."""
        if self._live and self._name:
            sys.stderr.write("\n")
        self._name = ""
