"""The type of learning that is taken from one sentence, through the extractor."""

from __future__ import annotations

from capture.local.extraction.extractor import IncrementalExtractor
from capture.local.transcripts.messages import Kind, Message, Role


def types_of(role: Role, sentence: str) -> list[str]:
    """Return the types of the learnings in `sentence`, said by `role`; each must hold the sentence itself."""
    learnings = IncrementalExtractor().extract([Message(1, role, Kind.WORDS, text=sentence)])
    assert [learning.content for learning in learnings] == [sentence] * len(learnings)
    return [learning.type for learning in learnings]
