"""The server's log: structlog and the standard library's loggers share one format, one line per event."""

from __future__ import annotations

import logging.config
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

from memoryserver.common.redaction import redact_value

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


def logging_configuration(level: str) -> dict[str, Any]:
    """Return the `LOGGING` setting: all records from `level` up on standard error, as JSON unless it is a terminal."""
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer() if sys.stderr.isatty() else structlog.processors.JSONRenderer()
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": [*_SHARED, structlog.stdlib.ExtraAdder()],
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    structlog.processors.format_exc_info,
                    _redacted,
                    renderer,
                ],
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
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
