"""What the lines and bars of the log say, and where their links lead."""

from __future__ import annotations

import pytest
from django.http import QueryDict

from memoryserver.accounts.models import User
from obslog import log, query
from obslog.models import Observation
from obslog.pages.density import MAX_COUNT, Bucket
from obslog.pages.lines import bars, lines
from tests.support.rows.observations import MOMENT, new

SINCE, BEFORE = "2023-11-14T22:13:20.000Z", "2023-11-15T22:13:20.000Z"
PERIOD = "since=2023-11-14T22%3A13%3A20.000Z&before=2023-11-15T22%3A13%3A20.000Z"


def bucket(count: int) -> Bucket:
    return Bucket(since=SINCE, before=BEFORE, count=count, x=0, y=0, width=12, height=40)


def test_links_of_a_line_replace_their_own_filter_and_keep_the_others_and_the_scope(alice: User) -> None:
    said = {"type": "task.done", "source": "agent:a", "message": "m", "details": "d", "data": {"n": 1}}
    log.append(alice, new(**said, scope_ids=["a&b"], created_at=MOMENT))
    rows = query.load_scope_ids(list(Observation.objects.filter(user=alice)))
    (line,) = lines(rows, QueryDict("type=task.&source=agent:&scope=t-1&days=7&cursor=x&tail=3"))
    assert line == {
        "address": f"/log/{rows[0].pk}/?days=7",
        "time": '<time class="moment" datetime="2023-11-14T22:13:20+00:00" title="2023-11-14 22:13 UTC">'
        "2023-11-14 22:13 UTC</time>",
        "type": "task.done",
        "of_type": "?source=agent%3A&scope=t-1&days=7&type=task.done",
        "source": "agent:a",
        "of_source": "?type=task.&scope=t-1&days=7&source=agent%3Aa",
        "scopes": [("a&b", "?type=task.&source=agent%3A&days=7&scope=a%26b")],
        "message": "m",
        "details": "d",
        "data": '{\n  "n": 1\n}',
    }


@pytest.mark.parametrize(("data", "text"), [(None, ""), ({}, "{}"), ("", '""'), (0, "0")])
def test_line_has_the_text_of_data_unless_there_is_none(data: object, text: str, alice: User) -> None:
    log.append(alice, new(data=data))
    (line,) = lines(query.load_scope_ids(list(Observation.objects.filter(user=alice))), QueryDict())
    assert (line["data"], line["details"], line["address"].partition("?")[2]) == (text, "", "")


@pytest.mark.parametrize(("count", "words"), [(1, "1"), (MAX_COUNT, f"{MAX_COUNT} or more")])
def test_bar_says_its_count_and_leads_to_its_part_within_the_other_filters(count: int, words: str) -> None:
    params = QueryDict("type=task.&since=7d&before=2023-11-16&cursor=x&live=1")
    assert bars([bucket(0), bucket(count)], params) == [
        {
            "address": f"?type=task.&{PERIOD}",
            "label": f"{words} from {SINCE} to {BEFORE}",
            "title": f"{words}, {SINCE} to {BEFORE}",
            "path": "M0.0 0.0h12.0v40.0h-12.0z",
        }
    ]
