"""Forms of the API of learnings."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from ninja import Field, Schema
from pydantic import ConfigDict

from capture.incoming import MAX_CONTENT, LearningType, Names
from memoryserver.reported_times import UtcDatetime


class LearningsQuery(Schema):
    """Filters and page. `project` is a project's key; every word of `text` must occur; `state` is shown, pinned,
    corrected, provisional, merged, hidden or all; `mine` excludes team mates' learnings; `source` is agent, observed or
    stated.
    """

    project: str = ""
    type: str = ""
    source: str = ""
    text: str = ""
    state: str = "shown"
    mine: bool = False
    limit: int = 50
    cursor: str = ""


class LearningOut(Schema):
    """A learning. `may_change` says whether the token's user may correct, pin and hide it.

    `source` is agent, observed or stated: the agent itself, what happened, what was said. `in_context` says whether it
    may enter a session's context, and `why` gives the reasons. It is `provisional` while the session that it comes from
    still runs.
    """

    id: int
    type: str
    content: str
    source: str
    confidence: float
    in_context: bool
    provisional: bool
    why: str
    files: list[str]
    tools: list[str]
    user: str
    project: str | None
    seen_count: int
    first_seen: datetime
    last_seen: datetime
    pinned: bool
    hidden: bool
    may_change: bool


class LearningPage(Schema):
    """Learnings, pinned first, then the last seen; `next_cursor` is null at the end."""

    learnings: list[LearningOut]
    next_cursor: str | None


class MergedOut(Schema):
    """A learning that says the same and was merged into the shown one."""

    id: int
    content: str
    user: str
    seen_count: int


class SourceOut(Schema):
    """A message that the learning comes from, with its agent and transcript.

    `user` is whose agent it was; `wording` is what was learned there if that was merged into this learning, else "".
    `message_time` and `captured_at` are what the transcript and the laptop say, `received_at` is the server's time.
    """

    user: str
    wording: str
    context_id: str
    transcript: str
    agent_kind: str
    agent: str
    session_id: str
    branch: str
    message_index: int
    message_uuid: str
    message_time: datetime | None
    captured_at: datetime
    received_at: datetime


class SourcesOut(Schema):
    """Messages that the learning comes from, the latest first; `next_cursor` is null at the end."""

    sources: list[SourceOut]
    next_cursor: str | None


class UseOut(Schema):
    """An answer that had the learning. `asked` are the words of the token's user's own search, "" for others.

    `session_id` is the agent's session that asked and `page` the path of its page; each is "" if there is none that the
    token's user may see.
    """

    at: datetime
    kind: str
    way: str
    user: str
    asked: str
    session_id: str
    page: str


class UsesOut(Schema):
    """Uses of the learning, the latest first; `next_cursor` is null at the end. They are known for 90 days."""

    uses: list[UseOut]
    next_cursor: str | None


class ChangeOut(Schema):
    """A change by a person, or by the server: `made_by` is null. `before` is the wording before a correction."""

    what: str
    before: str
    made_by: str | None
    made_at: datetime


class LearningDetail(LearningOut):
    """A learning with its sources and changes, the newest first.

    `sources` are the first 100; `next_source` is the cursor of the others at `/learnings/{key}/sources`.
    `by_hand_at` is when its owner or their agent stored it, null if it was only captured; `by_hand_by` says which of
    both, "" if that is not known. `merged` are learnings that were merged into it; `merged_into` is the one that is
    shown instead of it, null if it was not merged. `uses` counts the days on which it was in a context (`shown`) and on
    which it was followed, and how often it was returned by a search, opened, quoted and contradicted.
    """

    reasons: list[str]
    merged: list[MergedOut]
    merged_into: int | None
    uses: dict[str, int]
    by_hand_at: datetime | None
    by_hand_by: str
    sources: list[SourceOut]
    next_source: str | None
    changes: list[ChangeOut]


class NewLearning(Schema):
    """A learning to store by hand. `project` is a project's key.

    `session_id` is the agent's session in which it was learned, `time` when, `stored_by` who stores it; by default it
    is not known, and now.
    `replaces` are the ids of learnings that it makes untrue: each is hidden, or, if the user may not change it, marked
    as contradicted until somebody decides who may.
    """

    model_config = ConfigDict(extra="forbid")

    type: LearningType = "learning"
    content: str = Field(min_length=1, max_length=MAX_CONTENT)
    project: str = ""
    files: Names = []
    tools: Names = []
    session_id: str = Field("", max_length=200)
    stored_by: Literal["agent", "person"] | None = None
    replaces: list[int] = Field([], max_length=20)
    time: UtcDatetime | None = Field(
        None, description="when it was learned; null for now", examples=["2026-01-15T14:05:00Z"]
    )


class HiddenChange(Schema):
    """Whether a learning is hidden from all searches and contexts."""

    model_config = ConfigDict(extra="forbid")

    hidden: bool


class StoredByHand(Schema):
    """The learning; `new` is false if it was already stored; then its count was increased."""

    id: int
    new: bool
    hidden: bool
    new_project: bool


class LearningChanges(Schema):
    """Attributes to change; those left out stay as they are."""

    model_config = ConfigDict(extra="forbid")

    content: str | None = Field(None, min_length=1, max_length=MAX_CONTENT)
    pinned: bool | None = None
    hidden: bool | None = None
