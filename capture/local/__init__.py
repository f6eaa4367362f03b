"""Capture on the laptop: reads agents' transcripts, extracts learnings, queues them, delivers the queue.

Names are imported when they are first used. The tools of agents need the types of learnings alone, and this module is
run for them too; with plain imports it would load the rules of the extraction, a third of the start of `memory mcp`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from capture.local.extraction.extractor import IncrementalExtractor
    from capture.local.extraction.learning import ADDED_TYPES, LEARNING_TYPES, PATTERN_TYPES, Learning
    from capture.local.queue.files import QueueFile, QueueFullError, QueueWriter
    from capture.local.queue.processor import Processed, QueueProcessor
    from capture.local.queue.sink import HttpsSink, Receipt, Sink, SinkRefusedError, SinkUnavailableError
    from capture.local.scanning.scan_report import ScanReport
    from capture.local.scanning.scanner import Scanner, scan
    from capture.local.scanning.state import CaptureState, CaptureStateManager

__all__ = [
    "ADDED_TYPES",
    "LEARNING_TYPES",
    "PATTERN_TYPES",
    "CaptureState",
    "CaptureStateManager",
    "HttpsSink",
    "IncrementalExtractor",
    "Learning",
    "Processed",
    "QueueFile",
    "QueueFullError",
    "QueueProcessor",
    "QueueWriter",
    "Receipt",
    "ScanReport",
    "Scanner",
    "Sink",
    "SinkRefusedError",
    "SinkUnavailableError",
    "scan",
]

_HOME_OF = {
    "extraction.extractor": ("IncrementalExtractor",),
    "extraction.learning": ("ADDED_TYPES", "LEARNING_TYPES", "PATTERN_TYPES", "Learning"),
    "queue.files": ("QueueFile", "QueueFullError", "QueueWriter"),
    "queue.processor": ("Processed", "QueueProcessor"),
    "queue.sink": ("HttpsSink", "Receipt", "Sink", "SinkRefusedError", "SinkUnavailableError"),
    "scanning.scan_report": ("ScanReport",),
    "scanning.scanner": ("Scanner", "scan"),
    "scanning.state": ("CaptureState", "CaptureStateManager"),
}


def __getattr__(name: str) -> object:
    for module, names in _HOME_OF.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
