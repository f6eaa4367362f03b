"""Where a document was used: the answers that had it, as far as the viewer may know of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memoryserver import agent_sessions, keyset
from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import visible_rows
from memoryserver.agent_sessions import Viewer
from memoryserver.inquiries.models import Inquiry

PAGE = 20


@dataclass(frozen=True)
class Use:
    """An answer that had the document: when, in what (an Inquiry.Kind), by which way (an Inquiry.Way), and who asked.

    `words` are those of the viewer's own searches, "" for others. `session` is the id of the agent's session that
    asked and `session_page` the URL of its page; each is "" if there is none that the viewer may see.
    """

    at: datetime
    kind: str
    way: str
    user: str
    words: str
    session: str
    session_page: str

    @property
    def through(self) -> str:
        """The way in words."""
        return str(Inquiry.Way(self.way).label)


@dataclass(frozen=True)
class Uses:
    """A page of uses, the latest first; `next_cursor` is None at the end."""

    uses: Sequence[Use]
    next_cursor: str | None


def of_document(viewer: Viewer, document: str, cursor: str = "", *, limit: int = PAGE) -> Uses:
    """Return the uses of `document` (its id, such as `learnings/12`) after `cursor`. Raises InvalidCursorError.

    The viewer sees their own, and those of others in projects that they share.
    """
    rows = visible_rows(Inquiry.objects.select_related("user"), viewer).filter(documents__contains=[document])
    page = keyset.page_of(rows, ("-asked_at", "-pk"), limit=limit, cursor=cursor)
    pages = agent_sessions.pages_of(viewer, {(row.user_id, row.agent_session) for row in page.rows})
    return Uses(
        [_use(row, viewer, pages.get((row.user_id, row.agent_session), "")) for row in page.rows], page.next_cursor
    )


def _use(row: Inquiry, viewer: Viewer, session_page: str) -> Use:
    own = isinstance(viewer, User) and row.user_id == viewer.pk
    return Use(
        at=row.asked_at,
        kind=row.kind,
        way=row.way,
        user=row.user.get_username(),
        words=row.words if own and row.kind == Inquiry.Kind.SEARCH else "",
        session=row.agent_session if own or session_page else "",
        session_page=session_page,
    )
