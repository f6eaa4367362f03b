"""This product's entries in a hooks document."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycli.agents import handlers, hooks, jsontext

HANDLERS = {"Stop": {"type": "command", "command": "memory hook"}, "PostToolUse": handlers.http_form("http://x", 5)}
FOREIGN = st.fixed_dictionaries({"type": st.just("command"), "command": st.sampled_from(["fmt", "a b", "ü"])})
GROUPS = st.lists(
    st.fixed_dictionaries(
        {"hooks": st.lists(FOREIGN, max_size=2)}, optional={"matcher": st.sampled_from(["", "Bash|Edit"])}
    ),
    max_size=3,
)
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "model": st.just("opus"),
        "hooks": st.dictionaries(st.sampled_from(["Stop", "PostToolUse", "Notification"]), GROUPS),
        "permissions": st.fixed_dictionaries({"allow": st.lists(st.text(max_size=4))}),
    },
)


@given(settings=SETTINGS, style=st.sampled_from([None, 2, 4, "\t"]))
def test_entries_are_added_and_removed_and_nothing_else_changes(settings: dict[str, Any], style: Any) -> None:
    text = json.dumps(settings, indent=style, ensure_ascii=False)

    after = hooks.add(text, HANDLERS)

    document = jsontext.parse(after)
    assert hooks.has_exactly(document, HANDLERS)
    assert hooks.remove(after, hooks.empty_containers(text)) == text
    others = {key: value for key, value in document.items() if key != "hooks"}
    assert others == {key: value for key, value in settings.items() if key != "hooks"}
    for event, groups in settings.get("hooks", {}).items():
        assert document["hooks"][event][: len(groups)] == groups


def test_removing_an_entry_keeps_the_others_of_its_group() -> None:
    group = {"matcher": "Bash", "hooks": [{"type": "command", "command": "fmt"}, HANDLERS["Stop"]]}
    text = json.dumps({"hooks": {"PostToolUse": [group]}}, indent=2)

    assert jsontext.parse(hooks.remove(text)) == {"hooks": {"PostToolUse": [group | {"hooks": group["hooks"][:1]}]}}


@pytest.mark.parametrize(
    "document",
    [
        {"hooks": {"Stop": [{"hooks": [HANDLERS["Stop"], HANDLERS["Stop"]]}]}},
        {"hooks": {"Stop": [{"hooks": [HANDLERS["Stop"]]}, {"matcher": "x", "hooks": [HANDLERS["Stop"]]}]}},
    ],
)
def test_duplicate_entry_is_not_exact_and_is_removed_completely(document: dict[str, object]) -> None:
    assert not hooks.has_exactly(document, {"Stop": HANDLERS["Stop"]})
    assert jsontext.parse(hooks.remove(json.dumps(document))) == {}


@pytest.mark.parametrize(
    "document",
    [[], "x", {"hooks": []}, {"hooks": {"Stop": {}}}, {"hooks": {"Stop": [1, {"hooks": {}}, {"hooks": [2]}]}}],
)
def test_documents_of_another_form_have_no_entries(document: object) -> None:
    assert hooks.own_entries(document) == []


@pytest.mark.parametrize(
    ("settings", "message"),
    [("[]", "is not a JSON object"), ('{"hooks": []}', "not an object"), ('{"hooks": {"Stop": {}}}', "not an array")],
)
def test_document_without_room_for_entries_is_an_error(settings: str, message: str) -> None:
    with pytest.raises(jsontext.JsonTextError, match=message):
        hooks.add(settings, HANDLERS)


def test_entries_are_found_with_their_positions() -> None:
    document = {"hooks": {"Stop": [{"hooks": []}, {"hooks": [{"command": "fmt"}, HANDLERS["Stop"]]}]}}

    assert hooks.own_entries(document) == [hooks.Entry("Stop", 1, 1, HANDLERS["Stop"])]


@pytest.mark.parametrize(
    ("document", "names"),
    [
        ({}, []),
        ([], []),
        ({"hooks": 1}, []),
        ({"hooks": {}}, ["hooks"]),
        ({"hooks": {"Stop": [], "PreCompact": [{}]}}, ["hooks", "Stop"]),
    ],
)
def test_empty_containers_are_named(document: object, names: list[str]) -> None:
    assert hooks.empty_containers(json.dumps(document)) == names


def test_containers_to_keep_stay_without_entries() -> None:
    text = hooks.add('{"hooks": {"Stop": []}}', HANDLERS)

    assert hooks.remove(text) == "{}"
    assert hooks.remove(text, ["hooks"]) == '{"hooks": {}}'
    assert hooks.remove(text, ["hooks", "Stop"]) == '{"hooks": {"Stop": []}}'
