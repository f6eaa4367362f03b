"""The server's log: structlog and the standard library's loggers share one format, one line per event."""

from __future__ import annotations

import logging.config
import os
import sys
from collections.abc import MutableMapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

import structlog

from memoryserver.common.redaction import redact_value
from memoryserver.outages.errors import is_outage, reason_of

ERRORS_FILE = "errors.log"
"""The file in the data folder that has the latest errors of all processes, for `manage.py doctor`."""

_MOST_BYTES = 1_000_000
_FILTERS = ["outage", "refusal"]

_SHARED: list[structlog.typing.Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def _redacted(logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Redact the event: its message, traceback and every further value; addresses hold queries, errors hold texts."""
    return {key: redact_value(_plain(value)) for key, value in event.items()}


def _plain(value: Any) -> Any:
    """Return a value that is not JSON, such as an exception or a path, as the text that would be written of it."""
    return value if value is None or isinstance(value, str | int | float | dict | list | tuple) else str(value)


class OutageFilter(logging.Filter):
    """Makes of an error that the database cannot be reached a warning in one line; with DEBUG its traceback stays.

    It is no fault of the program: `manage.py doctor` counts errors, and not these. That a request was answered with a
    503 is left out, since what answered it has said so.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is to be written, and change it if it is of an outage."""
        if record.name == "django.request" and getattr(record, "status_code", None) == HTTPStatus.SERVICE_UNAVAILABLE:
            return False
        error = record.exc_info[1] if record.exc_info else None
        if is_outage(error):
            record.levelno, record.levelname = logging.WARNING, "WARNING"
            if not logging.getLogger().isEnabledFor(logging.DEBUG):
                record.exc_info = record.exc_text = None
                record.__dict__.setdefault("reason", reason_of(error))
        return True


class RefusalFilter(logging.Filter):
    """Drops the traceback of a request that was refused, such as one with a malformed address; with DEBUG it stays.

    What the caller sent was wrong, and the event says what; the program worked.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True, after the record was changed if it is of such a response."""
        status = getattr(record, "status_code", None)
        if isinstance(status, int) and 400 <= status < 500 and not logging.getLogger().isEnabledFor(logging.DEBUG):
            record.exc_info = record.exc_text = None
        return True


class ErrorsFile(logging.Handler):
    """Appends each error as one line of JSON to `path`; the file of before is kept beside it once it has grown large.

    It is only a convenience beside the log on standard error: where it cannot be written, nothing else is said.
    """

    def __init__(self, path: str) -> None:
        super().__init__(logging.ERROR)
        self._path = Path(path)

    def emit(self, record: logging.LogRecord) -> None:
        """Append the record. Writers of several processes do not mix their lines."""
        if record.levelno < self.level:  # the filter has made it a warning
            return
        line = self.format(record).encode("utf-8", errors="replace") + b"\n"
        try:
            if self._path.exists() and self._path.stat().st_size > _MOST_BYTES:
                self._path.replace(self._path.with_name(f"{self._path.name}.1"))
            descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(descriptor, line)
            finally:
                os.close(descriptor)
        except OSError:  # a full disk must not make every error two
            return


def logging_configuration(level: str, errors: Path | None = None) -> dict[str, Any]:
    """Return the `LOGGING` setting: all records from `level` up on standard error, as JSON unless it is a terminal.

    With `errors`, errors are appended to that file too.
    """
    configuration = _on_standard_error(level)
    if errors is not None:
        configuration["formatters"]["json"] = _formatter(structlog.processors.JSONRenderer())
        configuration["handlers"]["errors"] = {
            "()": ErrorsFile,
            "path": str(errors),
            "formatter": "json",
            "filters": _FILTERS,
        }
        for logger in (configuration["root"], *configuration["loggers"].values()):
            if "handlers" in logger:
                logger["handlers"].append("errors")
    return configuration


def _formatter(renderer: structlog.typing.Processor) -> dict[str, Any]:
    return {
        "()": structlog.stdlib.ProcessorFormatter,
        "foreign_pre_chain": [*_SHARED, structlog.stdlib.ExtraAdder()],
        "processors": [
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            _redacted,
            renderer,
        ],
    }


def _on_standard_error(level: str) -> dict[str, Any]:
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer() if sys.stderr.isatty() else structlog.processors.JSONRenderer()
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": _formatter(renderer)},
        "filters": {"outage": {"()": OutageFilter}, "refusal": {"()": RefusalFilter}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": _FILTERS}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # Both have handlers of their own and would print records twice.
            "django-q": {"handlers": ["stderr"], "level": "WARNING", "propagate": False},
            "django.server": {"handlers": ["stderr"], "level": level, "propagate": False},
            "sentence_transformers": {"level": "WARNING"},
            "transformers": {"level": "WARNING"},
            "httpx": {"level": "WARNING"},
        },
    }


def configure(settings: dict[str, Any]) -> None:
    """Set up the standard library's logging by `settings` and let structlog write through it."""
    logging.config.dictConfig(settings)
    structlog.configure(
        processors=[
            *_SHARED,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
