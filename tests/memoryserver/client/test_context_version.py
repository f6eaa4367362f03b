"""Copies of contexts are not shown after an answer of the server that has another version of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memoryserver.client import context_cache, context_version
from memoryserver.client.http import Client
from tests.support.fakes.api_server import serving


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path))
    return tmp_path


def text_of(project: str) -> str | None:
    cached = context_cache.load(project)
    return None if cached is None else cached.text


def test_copy_is_shown_until_a_later_version_is_recorded() -> None:
    context_version.record("http://a", "7")
    context_cache.store("shop", "http://a", "Remember the milk.")
    shown = [text_of("shop")]
    for version in ("7", "", "8"):
        context_version.record("http://a", version)
        shown.append(text_of("shop"))
    assert shown == ["Remember the milk.", "Remember the milk.", "Remember the milk.", None]

    context_cache.store("shop", "http://a", "Nothing.")
    assert text_of("shop") == "Nothing."


def test_copy_of_a_server_without_versions_is_shown_until_it_has_them() -> None:
    context_cache.store("shop", "http://a", "Remember the milk.")
    assert text_of("shop") == "Remember the milk."
    context_version.record("http://a", "1")
    assert text_of("shop") is None


def test_version_of_another_server_is_not_this_ones() -> None:
    context_version.record("http://a", "1")
    assert [context_version.current(server) for server in ("http://a", "http://b")] == ["1", ""]


def test_folder_that_cannot_be_written_does_not_stop_the_client(home: Path) -> None:
    (home / "context").write_text("a file in its place")
    context_version.record("http://a", "1")
    assert context_version.current("http://a") == ""


def test_damaged_record_is_no_version(home: Path) -> None:
    (home / "context").mkdir()
    (home / "context/.version").write_bytes(b"\xff\x00")
    assert context_version.current("http://a") == ""


def test_version_is_recorded_from_any_answer_and_its_own_copy_is_shown() -> None:
    with serving() as server:
        client = Client(server.url, server.token)
        server.context_version = "3"

        def answer(method: str, path: str, body: Any) -> tuple[int, Any]:
            return 200, {"text": "Remember the milk."}

        server.answer = answer
        context_cache.refresh(client, "shop")
        before = text_of("shop")
        server.context_version = "4"
        client.post("/observations", {})
        after = text_of("shop")

    assert (before, after) == ("Remember the milk.", None)


def test_refused_request_has_the_version_too() -> None:
    with serving() as server:
        server.context_version = "5"
        server.answer = lambda *_: (422, {"detail": "no"})
        with pytest.raises(Exception, match="refused"):
            Client(server.url, server.token).post("/observations", {})
        assert context_version.current(server.url) == "5"
