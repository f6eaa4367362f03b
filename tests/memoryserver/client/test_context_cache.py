"""The context that sessions start with, kept on the laptop."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoryserver.client import context_cache
from memoryserver.client.http import Client, RefusedError, ServerError, UnreachableError
from memoryserver.client.outbox import Outbox
from memoryserver.common import clock
from tests.support.fakes.api_server import HttpServer, serving

SHOP = "github.com/acme/shop"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path))
    monkeypatch.delenv("MEMORYSERVER_CONTEXT_CHARS", raising=False)
    return tmp_path / "context"


def kept(project: str = SHOP) -> tuple[str, str, str] | None:
    found = context_cache.load(project)
    return None if found is None else (found.project, found.server, found.text)


def test_what_was_stored_is_loaded_for_its_project_alone() -> None:
    context_cache.store(SHOP, "http://a", "Look at df.\nThen ü \u2028.")
    assert kept() == (SHOP, "http://a", "Look at df.\nThen ü \n.")
    assert kept("github.com/acme/Shop") is None


def test_it_is_old_after_an_hour_and_after_the_clock_was_set_back(folder: Path) -> None:
    context_cache.store(SHOP, "http://a", "x")
    (path,) = folder.glob("*.json")
    for age, old in ((10, False), (3700, True), (-100, True)):
        os.utime(path, (time.time() - age,) * 2)
        found = context_cache.load(SHOP)
        assert found is not None
        assert found.is_old is old


def test_it_is_old_once_something_was_sent_that_it_may_now_contain(folder: Path) -> None:
    def is_old() -> bool:
        cached = context_cache.load(SHOP)
        assert cached is not None
        return cached.is_old

    context_cache.record_change(SHOP)  # without a copy there is nothing to be old
    context_cache.store(SHOP, "http://a", "x")
    seen = [is_old()]
    context_cache.record_change(SHOP)
    seen.append(is_old())
    time.sleep(0.02)  # clocks of files are coarse
    context_cache.store(SHOP, "http://a", "y")
    seen.append(is_old())
    context_cache.store(SHOP, "http://a", "asked before the change", asked_at=time.time() - 60)
    seen.append(is_old())

    assert seen == [False, True, False, True]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff",
        b'{"a":' * 100_000,
        b'{"project": "other", "server": "", "text": ""}',
        f'{{"project": "{SHOP}", "server": "s", "text": 7}}'.encode(),
        f'{{"project": "{SHOP}"}}'.encode(),
    ],
)
def test_damaged_file_is_no_context(folder: Path, content: bytes) -> None:
    context_cache.store(SHOP, "http://a", "x")
    (path,) = folder.glob("*.json")
    path.write_bytes(content)
    assert kept() is None
    context_cache.store(SHOP, "http://a", "y")
    assert kept() == (SHOP, "http://a", "y")


def test_text_is_bounded_and_clean() -> None:
    context_cache.store(SHOP, "http://a", "\x1b[31m\x00" + "x" * 100_000)
    found = kept()
    assert found is not None
    assert (len(found[2]), found[2][:2]) == (context_cache.MAX_TEXT, "\ufffdx")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(project=st.text(max_size=700), said=st.text(max_size=50))
def test_any_key_and_text_can_be_kept(project: str, said: str) -> None:
    context_cache.store(project, "http://a", said)
    context_cache.record_use(project)
    found = context_cache.load(project)
    assert found is not None
    assert len(found.project) <= 500


def test_noted_projects_are_known_the_latest_first() -> None:
    for number, project in enumerate(["a", "b", "c"]):
        context_cache.record_use(project)
        os.utime(context_cache._path(project, ".asked"), (1e9 + number, 1e9 + number))
    context_cache.record_use("a")
    os.utime(context_cache._path("b", ".asked"), (time.time() - 10,) * 2)
    assert context_cache.known_projects() == ["a", "b"]
    assert context_cache.known_projects() == ["a", "b"]


def test_number_of_projects_is_bounded_and_what_is_forgotten_is_removed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(context_cache, "MAX_PROJECTS", 3)
    for number in range(8):
        context_cache.store(f"p{number}", "http://a", "x")
        context_cache.record_use(f"p{number}")
        os.utime(context_cache._path(f"p{number}", ".asked"), (time.time() - 100 + number,) * 2)
    assert context_cache.known_projects() == ["p7", "p6", "p5"]
    assert sorted(path.suffix for path in folder.iterdir()) == [".asked"] * 3 + [".json"] * 3


def test_without_a_folder_nothing_is_known(tmp_path: Path) -> None:
    assert context_cache.known_projects() == []
    (tmp_path / "context").write_text("in the way")
    assert context_cache.known_projects() == []
    assert kept() is None
    with pytest.raises(OSError, match="context"):
        context_cache.store(SHOP, "http://a", "x")


Answer = Callable[[str, str, Any], tuple[int, Any]]


def fetched(answer: Answer) -> HttpServer:
    with serving() as server:
        server.answer = answer
        context_cache.refresh(Client(server.url, "token"), SHOP)
    return server


def test_refresh_asks_for_the_project_and_for_as_much_as_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_CONTEXT_CHARS", "3000")
    server = fetched(lambda *_: (200, {"project": SHOP, "generated_at": "x", "sections": [], "text": "said"}))
    assert kept() == (SHOP, server.url, "said")
    assert server.requests[0][1] == "/api/v1/context?project=github.com%2Facme%2Fshop&chars=2880&deliveries=1"


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ((404, {"detail": "Not Found"}), RefusedError),
        ((503, {}), UnreachableError),
        ((200, {"text": None}), ServerError),
        ((200, [1]), ServerError),
    ],
)
def test_failed_refresh_keeps_what_was_there(answer: tuple[int, Any], error: type[Exception]) -> None:
    context_cache.store(SHOP, "http://a", "before")
    with pytest.raises(error):
        fetched(lambda *_: answer)
    assert kept() == (SHOP, "http://a", "before")


def test_start_of_a_session_imports_no_network() -> None:
    code = (
        "import sys; from memoryserver.client import context_cache as c\n"
        "c.store('x', 'http://a', '- y', documents=[])\n"
        "c.record_use('x'); c.record_delivery(c.load('x'), '- y', 's')\n"
        "print(sorted({'http.client', 'socket', 'dataclasses', 'typing', 'uuid', 'datetime'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (["learnings/1", "learnings/2"], ["learnings/1", "learnings/2"]),
        ([], []),
        (None, None),
        ("learnings/1", None),
        (["learnings/1", 7, "x" * 121], ["learnings/1"]),
        (["learnings/1"] * 200, ["learnings/1"] * 100),
    ],
)
def test_refresh_remembers_which_documents_the_context_has(sent: object, kept: list[str] | None) -> None:
    fetched(lambda *_: (200, {"text": "x", "project": SHOP, "documents": sent}))
    found = context_cache.load(SHOP)

    assert found is not None
    assert found.documents == kept


# Deliveries


TEXT = "Learned here\n- Use uv [1]\n- Never force-push [23]\n- No number\n"


def cached(text: str = TEXT, documents: Sequence[str] | None = ("learnings/1", "learnings/23")) -> context_cache.Cached:
    context_cache.store(SHOP, "http://a", text, documents=documents)
    found = context_cache.load(SHOP)
    assert found is not None
    return found


def deliveries(folder: Path) -> list[dict[str, Any]]:
    outbox = Outbox(folder.parent, context_cache.DELIVERIES)
    return [content for _, content, _ in outbox.contents()]


def test_delivery_names_the_session_the_time_and_the_lines(folder: Path) -> None:
    before = int(time.time())
    context_cache.record_delivery(cached(), TEXT, "s-1")
    context_cache.record_delivery(cached(), TEXT, "", "command")

    first, second = deliveries(folder)
    assert {name: first[name] for name in first if name not in ("id", "delivered_at")} == {
        "project": SHOP,
        "session_id": "s-1",
        "way": "agent",
        "lines": 3,
        "documents": ["learnings/1", "learnings/23"],
    }
    assert before <= clock.from_text(first["delivered_at"]).timestamp() <= time.time()
    assert (second["session_id"], second["way"], first["id"] < second["id"]) == ("", "command", True)


@pytest.mark.parametrize(
    ("text", "documents", "lines"),
    [
        ("- Use uv [1]\n- Never", ["learnings/1"], 2),
        ("- Use uv [1]\n… shortened", ["learnings/1"], 1),
        ("- Use uv [1]", ["learnings/1"], 1),
        ("- Use uv [1", [], 1),
        ("- of [1] and [23] only the end counts\n", [], 1),
        ("| - Never force-push [23]\n[100 of 200 characters left out]", ["learnings/23"], 0),
    ],
)
def test_what_was_cut_off_was_not_delivered(text: str, documents: list[str], lines: int, folder: Path) -> None:
    context_cache.record_delivery(cached(), text, "s")
    (content,) = deliveries(folder)

    assert (content["documents"], content["lines"]) == (documents, lines)


def test_nothing_is_recorded_without_a_text_or_of_a_server_that_counts_what_it_sends(folder: Path) -> None:
    context_cache.record_delivery(cached(), "", "s")
    context_cache.record_delivery(cached(documents=None), TEXT, "s")

    assert deliveries(folder) == []


def test_number_of_deliveries_that_wait_is_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context_cache, "MAX_DELIVERIES", 4)
    given = cached()
    for number in range(5):
        context_cache.record_delivery(given, TEXT, f"s{number}")
        for at, path in enumerate(Outbox(folder.parent, context_cache.DELIVERIES).waiting()):
            os.utime(path, (1e9 + at, 1e9 + at))  # clocks of files are coarse

    assert [content["session_id"] for content in deliveries(folder)] == ["s2", "s3", "s4"]


def test_refresh_remembers_the_key_that_the_project_has_on_the_server() -> None:
    def after(key: object) -> str:
        fetched(lambda *_: (200, {"text": "x", "project": key}))
        return context_cache.renamed_to(SHOP)

    assert [after(key) for key in ("github.com/store/shop", SHOP, 7, None)] == ["github.com/store/shop", "", "", ""]
    assert context_cache.renamed_to("github.com/acme/unknown") == ""
