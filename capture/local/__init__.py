"""Capture on the laptop: reads agents' transcripts, extracts learnings, queues them, delivers the queue."""

from capture.local.extraction.extractor import IncrementalExtractor
from capture.local.extraction.learning import ADDED_TYPES, LEARNING_TYPES, PATTERN_TYPES, Learning
from capture.local.queue.files import QueueFile, QueueFullError, QueueWriter
from capture.local.queue.processor import Processed, QueueProcessor
from capture.local.queue.sink import HttpsSink, Receipt, Sink, SinkRefusedError, SinkUnavailableError
from capture.local.scanning.scan_report import ScanReport
from capture.local.scanning.scanner import Scanner
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
]
