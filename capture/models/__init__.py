"""Transcripts, deliveries, learnings and changes to them."""

from capture.models.contexts import Capture, CaptureFailure, CaptureState, Compaction
from capture.models.learnings import (
    Contradiction,
    Learning,
    LearningChange,
    LearningIdentity,
    LearningSource,
    LearningUsage,
)

__all__ = [
    "Capture",
    "CaptureFailure",
    "CaptureState",
    "Compaction",
    "Contradiction",
    "Learning",
    "LearningChange",
    "LearningIdentity",
    "LearningSource",
    "LearningUsage",
]
