from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memoryserver.client.http import RefusedError, UnreachableError
from memoryserver.client.outbox import Delivery, Outbox


@pytest.fixture
def outbox(tmp_path: Path) -> Outbox:
    return Outbox(tmp_path, "things")


class Post:
    """Notes what is posted, and fails for the contents that it is told to fail for."""

    def __init__(self, **errors: Exception) -> None:
        self.posted: list[Any] = []
        self._errors = errors

    def __call__(self, content: Any) -> None:
        if content in self._errors:
            raise self._errors[content]
        self.posted.append(content)


def refused(status: int = 422) -> RefusedError:
    return RefusedError("the server refused (422): bad", status, {})


def test_things_are_posted_oldest_first_and_gone_afterwards(outbox: Outbox) -> None:
    outbox.put("b", "second")
    outbox.put("a", "first")
    post = Post()

    assert outbox.deliver(post) == Delivery(sent=2, refused=0)
    assert post.posted == ["first", "second"]
    assert outbox.waiting() == []


def test_unreachable_server_leaves_everything_in_place(outbox: Outbox) -> None:
    outbox.put("a", "first")
    outbox.put("b", "second")

    with pytest.raises(UnreachableError):
        outbox.deliver(Post(first=UnreachableError("offline")))

    assert [path.stem for path in outbox.waiting()] == ["a", "b"]


def test_refused_thing_is_set_aside_with_its_reason_and_holds_up_no_other(outbox: Outbox, tmp_path: Path) -> None:
    outbox.put("a", "bad")
    outbox.put("b", "good")
    post = Post(bad=refused())

    assert outbox.deliver(post) == Delivery(sent=1, refused=1)
    assert (post.posted, outbox.waiting()) == (["good"], [])
    aside = tmp_path / "outbox" / "things" / "refused"
    assert (aside / "a.json").read_text() == '"bad"'
    assert (aside / "a.reason").read_text() == "the server refused (422): bad\n"


@pytest.mark.parametrize("status", [401, 403])
def test_refused_token_is_not_the_things_fault(outbox: Outbox, status: int) -> None:
    outbox.put("a", "first")

    with pytest.raises(RefusedError):
        outbox.deliver(Post(first=refused(status)))

    assert [path.stem for path in outbox.waiting()] == ["a"]


def test_file_that_is_no_json_is_set_aside(outbox: Outbox, tmp_path: Path) -> None:
    outbox.put("a", "first")
    (tmp_path / "outbox" / "things" / "0.json").write_text("{")
    post = Post()

    outbox.deliver(post)

    assert post.posted == ["first"]
    assert (tmp_path / "outbox" / "things" / "refused" / "0.json").exists()


@pytest.mark.parametrize("identifier", ["", "../x", "a/b", "a.b", "x" * 101])
def test_id_that_is_no_file_name_is_refused(outbox: Outbox, identifier: str) -> None:
    with pytest.raises(ValueError, match="cannot be the name of a file"):
        outbox.put(identifier, "x")


def test_refused_things_are_given_up_before_the_oldest(outbox: Outbox, tmp_path: Path) -> None:
    for name in "abcd":
        outbox.put(name, name)
    outbox.deliver_batches(lambda contents: ["bad" if one == "c" else None for one in contents], size=1)
    for name in "abd":
        outbox.put(name, name)
    assert outbox.size() == 12

    assert outbox.drop_oldest(4) == (2, 6)

    assert [path.stem for path in outbox.waiting()] == ["b", "d"]
    assert list((tmp_path / "outbox" / "things" / "refused").iterdir()) == []


def test_more_than_there_is_empties_it(outbox: Outbox) -> None:
    outbox.put("a", "x")

    assert outbox.drop_oldest(10**9) == (1, 3)
    assert outbox.waiting() == []
