"""Learnings stored by hand in the outbox; test_channels.py has their delivery."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Any

import pytest

from memorycli.delivery import manual_learnings
from memoryserver.client import context_cache
from memoryserver.client.http import Client, RefusedError

KEY = "AKIA" + "Q4ZTMN7RXW2LKD6V"


def test_body_has_the_stripped_content_and_the_files() -> None:
    before = datetime.now(UTC) - timedelta(milliseconds=1)
    content = manual_learnings.body(
        stored_by="agent", type="fact", content=" It works. \n", project="shop", files=("a.py", "b.py"), session="s-1"
    )

    assert before <= datetime.fromisoformat(str(content.pop("time"))) <= datetime.now(UTC)
    assert content == {
        "type": "fact",
        "content": "It works.",
        "project": "shop",
        "files": ["a.py", "b.py"],
        "session_id": "s-1",
        "stored_by": "agent",
    }


def test_secret_is_cut_out_of_the_body_and_the_rest_stays() -> None:
    content = str(manual_learnings.body(type="fact", content=f"The key is {KEY} today.", project="shop")["content"])

    assert KEY not in content
    assert content.startswith("The key is [redacted:")


@pytest.mark.parametrize("content", ["", " \n\t", KEY, f" {KEY} {KEY} "])
def test_content_of_which_nothing_is_left_is_refused(content: str) -> None:
    with pytest.raises(ValueError, match="nothing is left of the content"):
        manual_learnings.body(type="fact", content=content, project="shop")


def test_learnings_wait_in_order_under_the_returned_ids() -> None:
    bodies = [manual_learnings.body(type="fact", content=text, project="shop") for text in ("first", "second")]

    ids = [manual_learnings.save(body) for body in bodies]

    waiting = manual_learnings.outbox().waiting()
    assert [path.stem for path in waiting] == ids
    assert [json.loads(path.read_bytes()) for path in waiting] == bodies


def test_text_that_utf8_cannot_encode_is_cleaned_before_it_waits() -> None:
    manual_learnings.save({"content": "broken \ud83d half"})

    (path,) = manual_learnings.outbox().waiting()
    json.loads(path.read_bytes())["content"].encode()


class OldServer(Client):
    """A client of a server of version 0.1, which refuses fields that it does not know."""

    def __init__(self, known: frozenset[str]) -> None:
        super().__init__("http://127.0.0.1:1", "t")
        self.known, self.posted = known, list[Any]()

    def post(self, path: str, body: object) -> Any:
        assert isinstance(body, dict)
        self.posted.append(sorted(body))
        if not body.keys() <= self.known:
            raise RefusedError("extra inputs are not permitted", HTTPStatus.UNPROCESSABLE_ENTITY, {})
        return {"id": 1}


def test_server_that_knows_neither_session_nor_time_gets_the_learning_without_them() -> None:
    body = manual_learnings.body(type="fact", content="It works.", project="shop", session="s-1")
    server = OldServer(frozenset({"type", "content", "project", "files"}))

    assert manual_learnings.post(server, manual_learnings.PATH, body) == {"id": 1}
    assert server.posted == [sorted(body), ["content", "files", "project", "type"]]


def test_learning_that_is_refused_for_another_reason_is_refused() -> None:
    body = manual_learnings.body(type="fact", content="It works.", project="shop")
    with pytest.raises(RefusedError):
        manual_learnings.post(OldServer(frozenset()), manual_learnings.PATH, body)


def test_context_is_old_once_the_server_has_a_learning_of_the_project() -> None:
    class Server(Client):
        def post(self, path: str, body: object) -> Any:
            return {"id": 1}

    for project in ("shop", "bank"):
        context_cache.store(project, "http://127.0.0.1:1", "before")
    manual_learnings.save(manual_learnings.body(type="fact", content="It works.", project="shop"))
    manual_learnings.deliver(Server("http://127.0.0.1:1", "t"))

    cached = [context_cache.load(project) for project in ("shop", "bank")]
    assert [copy.is_old for copy in cached if copy] == [True, False]
