from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from capture import sink
from capture.deliveries import IncomingLearning
from ghap import jobs
from ghap.intake import receive
from memoryserver import embedding
from memoryserver.accounts.models import Project, User
from tests.support.rows.ghap_entries import body, falsified

Api = Callable[[User | None], Client]


@pytest.fixture
def entries(alice: User, shared_project: Project) -> None:
    embedding.load()
    receive(
        alice,
        shared_project,
        [
            body(),
            falsified(id="ghap_20261121_143022_a1b2c3", created_at="2026-11-21T14:30:22Z", domain="testing"),
        ],
    )
    jobs.persist_pending()


def ask(client: Client, **query: Any) -> Any:
    answer = client.get("/api/v1/search", {"q": "export hanging", **query})
    return answer.status_code, answer.json()


def keys(client: Client, **query: Any) -> list[str]:
    status, answer = ask(client, **query)
    assert status == 200, answer
    return sorted(hit["key"][5:13] for hit in answer["hits"])


def test_answer_tells_where_its_time_went(entries: None, api: Api, alice: User) -> None:
    header = api(alice).get("/api/v1/search", {"q": "export hanging"})["Server-Timing"]

    phases = re.findall(r"(\w+);dur=(\d+\.\d)", header)
    assert header == ", ".join(f"{name};dur={milliseconds}" for name, milliseconds in phases)
    assert [name for name, _ in phases] == ["embed", "model", "rank", "rest"]
    assert [name for name, milliseconds in phases if name != "model" and float(milliseconds) <= 0] == []


def test_nobody_is_refused(db: None, api: Api) -> None:
    assert ask(api(None))[0] == 401


def test_owner_and_mate_find_and_a_stranger_does_not(
    entries: None, api: Api, alice: User, bob: User, charlie: User
) -> None:
    assert [len(keys(api(user))) for user in (alice, bob, charlie)] == [2, 2, 0]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, ["20261120", "20261121"]),
        ({"source": "ghap"}, ["20261120", "20261121"]),
        ({"source": "learnings"}, []),
        ({"domain": "testing"}, ["20261121"]),
        ({"outcome": "confirmed"}, ["20261120"]),
        ({"outcome": "falsified", "domain": "debugging"}, []),
        ({"strategy": "systematic-elimination"}, ["20261120", "20261121"]),
        ({"axis": "surprise", "q": "No lock was held"}, ["20261121"]),
        ({"user": "alice", "team": "crew", "project": "github.com/crew/shop"}, ["20261120", "20261121"]),
        ({"since": "2026-11-21"}, ["20261121"]),
        ({"until": "2026-11-21"}, ["20261120"]),
        ({"type": "gotcha"}, []),
    ],
)
def test_each_filter_narrows(query: dict[str, str], found: list[str], entries: None, api: Api, alice: User) -> None:
    assert keys(api(alice), **query) == found


def test_tier_is_the_one_that_counts(entries: None, api: Api, alice: User) -> None:
    tiers = {tier: keys(api(alice), tier=tier) for tier in ("gold", "silver", "bronze", "abandoned")}

    assert sorted(sum(tiers.values(), [])) == ["20261120", "20261121"]
    assert (tiers["gold"], tiers["abandoned"]) == ([], [])


def test_page_says_where_the_next_begins_and_that_there_is_none(entries: None, api: Api, alice: User) -> None:
    first = ask(api(alice), limit=1)[1]
    second = ask(api(alice), limit=1, cursor=first["next_cursor"])[1]

    assert [(page["found"], page["before"], len(page["hits"])) for page in (first, second)] == [(2, 0, 1), (2, 1, 1)]
    assert first["hits"] != second["hits"]
    assert (second["next_cursor"], first["next_offset"], second["next_offset"]) == (None, None, None)


def test_client_of_the_first_release_gets_its_first_page_and_is_told_of_cursors(
    entries: None, api: Api, alice: User
) -> None:
    said = ask(api(alice), offset=1)

    assert ask(api(alice), offset=0) == ask(api(alice))
    assert (said[0], said[1]["detail"]) == (
        422,
        "offset: pages are by cursor; send `next_cursor` of the last response as `cursor`",
    )


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"q": ""}, "the query is empty"),
        ({"q": "\x00"}, "the query is empty"),
        ({"q": "x" * 100_000}, "the query has 100000 characters; the maximum is 2000"),
        ({"limit": 0}, "limit must be from 1 to 100"),
        ({"limit": 10_000}, "limit must be from 1 to 100"),
        ({"limit": "many"}, "limit: Input should be a valid integer"),
        ({"cursor": "x"}, "cursor: invalid; use the one of the last response, or none for the first page"),
        ({"mode": "magic"}, "unknown mode 'magic'; choose from: hybrid, semantic, lexical"),
        ({"source": "web"}, "unknown source 'web'; choose from: "),
        ({"axis": "x"}, "unknown axis 'x'; choose from: "),
        ({"domain": "x\x00"}, "unknown domain 'x\ufffd'; choose from: debugging, "),
        ({"strategy": "luck"}, "unknown strategy 'luck'; choose from: systematic-elimination, "),
        ({"outcome": "won"}, "unknown outcome 'won'; choose from: confirmed, falsified, abandoned"),
        ({"tier": "iron"}, "unknown tier 'iron'; choose from: gold, silver, bronze, abandoned"),
        ({"type": "x"}, "unknown type 'x'; choose from: decision, "),
        ({"project": "x"}, "unknown project 'x'; choose from: github.com/crew/shop"),
        ({"user": "charlie"}, "unknown user 'charlie'; choose from: alice, bob"),
        ({"team": "x"}, "unknown team 'x'; choose from: crew"),
        ({"since": "soon"}, "since 'soon' is invalid; give a date"),
        ({"source": "learnings", "outcome": "confirmed"}, "outcome cannot be combined with"),
    ],
)
def test_what_cannot_be_is_a_422_that_says_why(
    query: dict[str, Any], said: str, entries: None, api: Api, alice: User, charlie: User
) -> None:
    status, answer = ask(api(alice), **query)

    assert (status, answer["detail"][: len(said)]) == (422, said)


def test_nul_within_a_query_is_a_character_like_another(entries: None, api: Api, alice: User) -> None:
    assert keys(api(alice), q="export\x00hanging") == ["20261120", "20261121"]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("数据库连接池在服务器重启之后会返回失效的连接。", "连接池 失效"),
        ("夜间导出任务因为等待备份持有的锁而超时。", "备份 锁 导出"),
        ("图片上传超过十兆字节时代理服务器会断开。", "上传图片 断开"),
        ("日志文件轮转之后进程仍然写入旧的文件句柄。", "日志轮转"),
        ("データベースの接続は再起動の後に切れる。", "データベース接続"),
        ("데이터베이스가 다시 시작되면 연결이 끊어진다.", "데이터베이스 연결"),
        ("ฐานข้อมูลไม่ตอบสนองหลังจากรีสตาร์ท", "ฐานข้อมูล"),
    ],
)
def test_sentence_in_a_script_without_spaces_is_found_by_its_words(
    api: Api, alice: User, shared_project: Project, text: str, query: str
) -> None:
    others = "测试必须先清空缓存，否则顺序不同会失败。 テストは先にキャッシュを空にする。 캐시를비운다. ต้องล้างแคช"
    for content in [*others.split(), text]:
        sink.store_by_hand(alice, shared_project, IncomingLearning("gotcha", content, 0.9, 1))

    status, answer = ask(api(alice), q=query, mode="lexical")

    assert (status, answer["hits"][0]["text"]) == (200, text)
