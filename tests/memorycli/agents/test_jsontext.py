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
    return [found for key, one in children for found in [(*path, key), *places_of(one, (*path, key))]]


def inside(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


@given(document=DOCUMENTS, value=VALUES, style=STYLES, breaks=st.sampled_from(["\n", "\r\n"]), data=st.data())
def test_what_is_put_in_is_there_and_taken_out_leaves_the_text_as_it_was(document, value, style, breaks, data) -> None:
    text = json.dumps(document, indent=style, ensure_ascii=data.draw(st.booleans())).replace("\n", breaks)
    containers = [path for path in [(), *places_of(document)] if isinstance(inside(document, path), dict | list)]
    path = data.draw(st.sampled_from(containers))
    container = inside(document, path)
    step = len(container) if isinstance(container, list) else "new key ü"

    after = jsontext.put(text, (*path, step), value)

    if isinstance(container, list):
        container.append(value)
    else:
        container[step] = value
    assert json.loads(after) == document
    assert list(json.loads(after)) == list(document)
    assert jsontext.take(after, (*path, step)) == text


@given(document=DOCUMENTS, style=STYLES, data=st.data())
def test_what_is_taken_out_is_gone_and_the_rest_the_same(document, style, data) -> None:
    text = json.dumps(document, indent=style)
    paths = places_of(document)
    if not paths:
        return
    path = data.draw(st.sampled_from(paths))

    after = jsontext.take(text, path)

    del inside(document, path[:-1])[path[-1]]
    assert json.loads(after) == document


@given(document=DOCUMENTS, value=VALUES, style=STYLES, data=st.data())
def test_member_that_is_there_gets_another_value_in_its_place(document, value, style, data) -> None:
    paths = [path for path in places_of(document) if isinstance(path[-1], str)]
    if not paths:
        return
    path = data.draw(st.sampled_from(paths))

    after = jsontext.put(json.dumps(document, indent=style), path, value)

    inside(document, path[:-1])[path[-1]] = value
    assert json.loads(after) == document
    assert list(json.loads(after)) == list(document)


def test_a_persons_way_of_writing_stays() -> None:
    text = '{\n    "permissions": {"allow": ["Bash(ls:*)", "Read"]},\n\n    "hooks": {\n        "Stop": []\n    }\n}\n'

    assert jsontext.put(text, ("hooks", "Stop", 0), {"a": [1]}) == (
        '{\n    "permissions": {"allow": ["Bash(ls:*)", "Read"]},\n\n    "hooks": {\n        "Stop": [\n'
        '            {\n                "a": [\n                    1\n                ]\n            }\n'
        "        ]\n    }\n}\n"
    )


def test_text_on_one_line_stays_on_one_line() -> None:
    assert jsontext.put('{"a":1}', ("b",), {"c": [1]}) == '{"a":1, "b": {"c": [1]}}'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\ufeff{}", "byte order mark"),
        ('{\n  // mine\n  "a": 1\n}', "comments"),
        ('{"a": 1, /* x */ "b": 2}', "comments"),
        ('{"a": 1,}', "is no JSON: .* in line 1"),
        ("", "is no JSON"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_no_program_can_keep_is_refused(text: str, said: str) -> None:
    with pytest.raises(jsontext.JsonTextError, match=said):
        jsontext.parse(text)


def test_key_that_is_there_twice_is_refused() -> None:
    with pytest.raises(jsontext.JsonTextError, match='"a" twice'):
        jsontext.take('{"a": {"b": 1}, "a": {"b": 1}}', ("a", "b"))
