"""The lines and the bars of the log: what they say and where their links lead, made ready for the template.

A page has forty of each, with several links in each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypedDict
from urllib.parse import quote

from django.http import QueryDict
from django.utils.safestring import SafeString

from memoryserver.home.addresses import address_of
from memoryserver.home.scope import query_of
from memoryserver.pages.filters import moments
from obslog.models import Observation
from obslog.pages.density import Bucket
from obslog.pages.names import described


class Line(TypedDict):
    """An observation as the log shows it, and the addresses that its parts lead to; `scopes` are pairs of both."""

    address: str
    time: SafeString
    type: str
    of_type: str
    source: str
    of_source: str
    scopes: Sequence[tuple[str, str]]
    message: str
    details: str
    data: str


class Bar(TypedDict):
    """A part of the period that has observations: where its bar leads, what it says, and its shape."""

    address: str
    label: str
    title: str
    path: str


def lines(rows: Sequence[Observation], params: QueryDict) -> Sequence[Line]:
    """Return `rows` for a page with the parameters `params`, which its links keep but for what they replace."""
    scope = query_of(params)
    of_type = f"{_without(params, 'type', 'cursor', 'tail')}type="
    of_source = f"{_without(params, 'source', 'cursor', 'tail')}source="
    of_scope = f"{_without(params, 'scope', 'cursor', 'tail')}scope="
    return [
        Line(
            address=address_of("log-observation", row.pk) + scope,
            time=time,
            type=row.type,
            of_type=of_type + quote(row.type),
            source=row.source,
            of_source=of_source + quote(row.source),
            scopes=[(name, of_scope + quote(scope_id)) for scope_id, name in scopes],
            message=message,
            details=row.details or "",
            data="" if row.data is None else row.data_text,
        )
        for (row, message, scopes), time in zip(described(rows), moments(row.created for row in rows), strict=True)
    ]


def bars(buckets: Iterable[Bucket], params: QueryDict) -> Sequence[Bar]:
    """Return those of `buckets` that are not empty, for a page with the parameters `params`."""
    period = _without(params, "since", "before", "cursor", "live")
    shown = []
    for bucket in buckets:
        if bucket.count:
            count = f"{bucket.count} or more" if bucket.is_capped else str(bucket.count)
            shown.append(
                Bar(
                    address=f"{period}since={quote(bucket.since)}&before={quote(bucket.before)}",
                    label=f"{count} from {bucket.since} to {bucket.before}",
                    title=f"{count}, {bucket.since} to {bucket.before}",
                    path=bucket.path,
                )
            )
    return shown


def _without(params: QueryDict, *names: str) -> str:
    """Return `params` without `names` as a query string to which another parameter is appended."""
    kept = params.copy()
    for name in names:
        kept.pop(name, None)
    return f"?{kept.urlencode()}&"
