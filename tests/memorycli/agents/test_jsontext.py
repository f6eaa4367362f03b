"""JSON text edited in place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycli.agents import jsontext

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)
DOCUMENTS = st.dictionaries(st.text(max_size=6), VALUES, max_size=4)
STYLES = st.sampled_from([None, 1, 2, 4, "\t"])


def places_of(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of everything inside `value`."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [inner for key, child in children for inner in [(*path, key), *places_of(child, (*path, key))]]


def inside(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


@given(document=DOCUMENTS, value=VALUES, style=STYLES, breaks=st.sampled_from(["\n", "\r\n"]), data=st.data())
def test_value_is_set_and_its_removal_restores_the_text(document, value, style, breaks, data) -> None:
    text = json.dumps(document, indent=style, ensure_ascii=data.draw(st.booleans())).replace("\n", breaks)
    containers = [path for path in [(), *places_of(document)] if isinstance(inside(document, path), dict | list)]
    path = data.draw(st.sampled_from(containers))
    container = inside(document, path)
    step = len(container) if isinstance(container, list) else "new key ü"

    after = jsontext.set_value(text, (*path, step), value)

    if isinstance(container, list):
        container.append(value)
    else:
        container[step] = value
    assert json.loads(after) == document
    assert list(json.loads(after)) == list(document)
    assert jsontext.remove(after, (*path, step)) == text


@given(document=DOCUMENTS, style=STYLES, data=st.data())
def test_removed_value_is_gone_and_the_others_are_unchanged(document, style, data) -> None:
    text = json.dumps(document, indent=style)
    paths = places_of(document)
    if not paths:
        return
    path = data.draw(st.sampled_from(paths))

    after = jsontext.remove(text, path)

    del inside(document, path[:-1])[path[-1]]
    assert json.loads(after) == document


@given(document=DOCUMENTS, value=VALUES, style=STYLES, data=st.data())
def test_existing_member_gets_another_value_at_its_position(document, value, style, data) -> None:
    paths = [path for path in places_of(document) if isinstance(path[-1], str)]
    if not paths:
        return
    path = data.draw(st.sampled_from(paths))

    after = jsontext.set_value(json.dumps(document, indent=style), path, value)

    inside(document, path[:-1])[path[-1]] = value
    assert json.loads(after) == document
    assert list(json.loads(after)) == list(document)


def test_formatting_of_a_person_is_preserved() -> None:
    text = '{\n    "permissions": {"allow": ["Bash(ls:*)", "Read"]},\n\n    "hooks": {\n        "Stop": []\n    }\n}\n'

    assert jsontext.set_value(text, ("hooks", "Stop", 0), {"a": [1]}) == (
        '{\n    "permissions": {"allow": ["Bash(ls:*)", "Read"]},\n\n    "hooks": {\n        "Stop": [\n'
        '            {\n                "a": [\n                    1\n                ]\n            }\n'
        "        ]\n    }\n}\n"
    )


def test_text_on_one_line_stays_on_one_line() -> None:
    assert jsontext.set_value('{"a":1}', ("b",), {"c": [1]}) == '{"a":1, "b": {"c": [1]}}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\ufeff{}", "byte order mark"),
        ('{\n  // mine\n  "a": 1\n}', "comments"),
        ('{"a": 1, /* x */ "b": 2}', "comments"),
        ('{"a": 1,}', "is invalid JSON: .* in line 1"),
        ("", "is invalid JSON"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_text_that_cannot_be_preserved_is_an_error(text: str, message: str) -> None:
    with pytest.raises(jsontext.JsonTextError, match=message):
        jsontext.parse(text)


def test_duplicate_key_is_an_error() -> None:
    with pytest.raises(jsontext.JsonTextError, match='"a" twice'):
        jsontext.remove('{"a": {"b": 1}, "a": {"b": 1}}', ("a", "b"))
