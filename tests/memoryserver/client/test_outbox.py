from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memoryserver.client import delivery
from memoryserver.client.delivery import Report
from memoryserver.client.http import RefusedError, UnauthorizedError, UnreachableError
from memoryserver.client.outbox import Outbox, OutboxChannel, kinds
from tests.support.laptops.durability import inodes, record_syncs


@pytest.fixture
def outbox(tmp_path: Path) -> Outbox:
    return Outbox(tmp_path, "things")


class Post:
    """A server: records what is posted, and raises the error of a content that has one."""

    def __init__(self, **errors: Exception) -> None:
        self.posted: list[Any] = []
        self._errors = errors

    def __call__(self, path: str, content: Any) -> Any:
        assert path == "/things"
        if content in self._errors:
            raise self._errors[content]
        self.posted.append(content)
        return {"id": 1}


def deliver(outbox: Outbox, post: Any) -> Report:
    return delivery.deliver(OutboxChannel(outbox, "/things"), post)


def refused(status: int = 422) -> RefusedError:
    return RefusedError(f"the server refused ({status}): bad", status, {})


def waiting(outbox: Outbox) -> list[str]:
    return [path.stem for path in outbox.waiting()]


def test_items_are_posted_oldest_first_and_removed_afterwards(outbox: Outbox) -> None:
    outbox.add("b", "second")
    outbox.add("a", "first")
    post = Post()

    assert deliver(outbox, post) == Report(sent=2)
    assert (post.posted, waiting(outbox)) == (["first", "second"], [])


def test_unreachable_server_leaves_everything_in_place(outbox: Outbox) -> None:
    outbox.add("a", "first")
    outbox.add("b", "second")

    assert deliver(outbox, Post(first=UnreachableError("offline"))) == Report(later="offline", unreachable=True)
    assert waiting(outbox) == ["a", "b"]


@pytest.mark.parametrize("status", [400, 404, 405, 409])
def test_status_that_does_not_judge_the_item_leaves_it_in_place(outbox: Outbox, status: int) -> None:
    outbox.add("a", "first")

    report = deliver(outbox, Post(first=refused(status)))

    assert (report.failed, report.later) == (0, f"the server refused ({status}): bad")
    assert (waiting(outbox), outbox.failed()) == (["a"], [])


def test_refused_item_is_set_aside_with_its_reason_and_holds_up_no_other(outbox: Outbox, tmp_path: Path) -> None:
    outbox.add("a", "bad")
    outbox.add("b", "good")
    post = Post(bad=refused())

    assert deliver(outbox, post) == Report(sent=1, failed=1, reason="the server refused (422): bad")
    assert (post.posted, waiting(outbox)) == (["good"], [])
    failed = tmp_path / "outbox" / "things" / "failed"
    assert (failed / "a.json").read_text() == '"bad"'
    assert (failed / "a.reason").read_text() == "the server refused (422): bad\n"
    assert (outbox.why_failed("a"), outbox.why_failed("b")) == ("the server refused (422): bad", None)


def test_refused_token_stops_the_delivery_and_sets_nothing_aside(outbox: Outbox) -> None:
    outbox.add("a", "first")

    with pytest.raises(UnauthorizedError):
        deliver(outbox, Post(first=UnauthorizedError("token", 401, {})))

    assert (waiting(outbox), outbox.failed()) == (["a"], [])


@pytest.mark.parametrize("answer", [{}, [], "ok", 1])
def test_answer_without_an_id_confirms_nothing(outbox: Outbox, answer: object) -> None:
    outbox.add("a", "first")

    assert deliver(outbox, lambda *_: answer).later
    assert waiting(outbox) == ["a"]


@pytest.mark.parametrize("content", ["{", "[" * 100_000], ids=["cut off", "nested too deep"])
def test_file_that_is_not_json_is_set_aside(outbox: Outbox, tmp_path: Path, content: str) -> None:
    outbox.add("a", "first")
    (tmp_path / "outbox" / "things" / "0.json").write_text(content)
    post = Post()

    deliver(outbox, post)

    assert post.posted == ["first"]
    assert str(outbox.why_failed("0")).startswith("invalid JSON: ")


@pytest.mark.parametrize("identifier", ["", "../x", "a/b", "a.b", "x" * 101])
def test_id_that_is_not_a_file_name_is_refused(outbox: Outbox, identifier: str) -> None:
    with pytest.raises(ValueError, match="cannot be the name of a file"):
        outbox.add(identifier, "x")


def test_item_that_was_set_aside_can_be_put_back(outbox: Outbox, tmp_path: Path) -> None:
    outbox.set_aside("2", 2, "bad")
    assert (waiting(outbox), [path.stem for path in outbox.failed()]) == ([], ["2"])

    outbox.put_back()

    assert (waiting(outbox), outbox.failed(), outbox.why_failed("2")) == (["2"], [], None)
    assert json.loads((tmp_path / "outbox/things/2.json").read_text()) == 2


def test_item_is_durable_where_it_waits_and_where_it_was_set_aside(
    outbox: Outbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outbox.set_aside("b", 1, "bad")
    folder, failed = tmp_path / "outbox/things", tmp_path / "outbox/things/failed"
    synced = record_syncs(monkeypatch)
    outbox.add("a", 1)
    assert synced == inodes(folder / "a.json", folder)
    synced.clear()
    outbox.set_file_aside(folder / "a.json", "bad")
    assert synced == inodes(failed / "a.reason", failed, failed, folder)


def test_secret_in_an_item_does_not_reach_the_disk(outbox: Outbox) -> None:
    outbox.add("a", {"text": "token ghp_" + "a1B2" * 9})

    assert "ghp_" not in outbox.waiting()[0].read_text()


def test_item_without_its_reason_can_be_put_back(outbox: Outbox, tmp_path: Path) -> None:
    outbox.set_aside("a", 1, "bad")
    (tmp_path / "outbox/things/failed/a.reason").unlink()

    outbox.put_back()

    assert waiting(outbox) == ["a"]


def test_item_that_is_delivered_while_the_others_are_read_holds_up_none(outbox: Outbox) -> None:
    for name in "abc":
        outbox.add(name, name)
    contents = outbox.contents()
    first = next(contents)
    outbox.waiting()[1].unlink()

    assert [content for _, content, _ in (first, *contents)] == ["a", "c"]


def test_item_that_was_delivered_after_it_was_listed_has_no_size_and_is_not_dropped(tmp_path: Path) -> None:
    class OldList(Outbox):
        def waiting(self) -> list[Path]:
            return [tmp_path / "delivered.json", *super().waiting()]

    outbox = OldList(tmp_path, "things")
    outbox.add("a", "x")

    assert (outbox.size(), outbox.drop_oldest(1)) == (3, (1, 3))


def test_two_deliveries_at_once_do_not_disturb_each_other(outbox: Outbox) -> None:
    """While the one waits for its answers another has delivered everything."""
    outbox.add("a", "bad")
    outbox.add("b", "good")
    other = Post(bad=refused())

    def post(path: str, content: Any) -> Any:
        if outbox.waiting():
            deliver(outbox, other)
        return other(path, content)

    deliver(outbox, post)

    assert (waiting(outbox), [path.stem for path in outbox.failed()]) == ([], ["a"])
    assert outbox.why_failed("a") == "the server refused (422): bad"


def test_item_that_another_process_delivered_meanwhile_has_not_failed(outbox: Outbox) -> None:
    outbox.add("a", "first")
    (path,) = outbox.waiting()
    path.unlink()

    outbox.set_file_aside(path, "refused")

    assert (outbox.failed(), outbox.why_failed("a")) == ([], None)


def test_failed_items_are_dropped_before_the_oldest(outbox: Outbox, tmp_path: Path) -> None:
    for name in "abd":
        outbox.add(name, name)
    outbox.set_aside("c", "c", "bad")
    assert outbox.size() == 12

    assert outbox.drop_oldest(4) == (2, 6)

    assert waiting(outbox) == ["b", "d"]
    assert list((tmp_path / "outbox" / "things" / "failed").iterdir()) == []


@pytest.mark.parametrize(("excess", "dropped"), [(0, (0, 0)), (1, (1, 3)), (3, (1, 3)), (4, (2, 6))])
def test_no_more_is_dropped_than_must_be(outbox: Outbox, excess: int, dropped: tuple[int, int]) -> None:
    for name in "abc":
        outbox.add(name, name)

    assert outbox.drop_oldest(excess) == dropped
    assert outbox.size() == 9 - dropped[1]


def test_dropping_more_than_there_is_empties_it(outbox: Outbox) -> None:
    outbox.add("a", "x")

    assert outbox.drop_oldest(10**9) == (1, 3)
    assert outbox.waiting() == []


def test_kinds_are_the_folders_below_the_outbox(tmp_path: Path) -> None:
    assert kinds(tmp_path) == []
    Outbox(tmp_path, "things").add("a", 1)
    Outbox(tmp_path, "others").set_aside("a", 1, "bad")
    (tmp_path / "outbox/dropped.json").write_text("{}")

    assert kinds(tmp_path) == ["others", "things"]


def test_refused_item_can_be_taken_back_with_the_reason(outbox: Outbox) -> None:
    outbox.set_aside("a", "first", "too long")
    outbox.set_aside("b", "second", "no type")
    outbox.add("c", "third")

    assert (outbox.take_back("a"), outbox.take_back("c"), outbox.take_back("d")) == ("too long", None, None)
    assert ([path.stem for path in outbox.failed()], waiting(outbox)) == (["b"], ["c"])
    assert outbox.why_failed("a") is None


def test_what_was_refused_is_dropped_and_what_waits_stays(outbox: Outbox) -> None:
    outbox.set_aside("a", "first", "too long")
    outbox.set_aside("b", "second", "no type")
    outbox.add("c", "third")

    assert outbox.drop_failed() == [("a", "too long"), ("b", "no type")]
    assert (outbox.failed(), waiting(outbox)) == ([], ["c"])
    assert outbox.drop_failed() == []
