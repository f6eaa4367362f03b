"""Learnings stored by hand in the outbox; test_channels.py has their delivery."""

from __future__ import annotations

import json

import pytest

from memorycli.delivery import manual_learnings

KEY = "AKIA" + "Q4ZTMN7RXW2LKD6V"


def test_body_has_the_stripped_content_and_the_files() -> None:
    content = manual_learnings.body(type="fact", content=" It works. \n", project="shop", files=("a.py", "b.py"))

    assert content == {"type": "fact", "content": "It works.", "project": "shop", "files": ["a.py", "b.py"]}


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

    ids = [manual_learnings.keep(body) for body in bodies]

    waiting = manual_learnings.outbox().waiting()
    assert [path.stem for path in waiting] == ids
    assert [json.loads(path.read_bytes()) for path in waiting] == bodies


def test_text_that_utf8_cannot_encode_is_cleaned_before_it_waits() -> None:
    manual_learnings.keep({"content": "broken \ud83d half"})

    (path,) = manual_learnings.outbox().waiting()
    json.loads(path.read_bytes())["content"].encode()
