"""Arguments checked against a tool's own schema."""

from __future__ import annotations

import jsonschema  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycli.mcp import catalogue
from memorycli.mcp.arguments import checked, json_object
from memorycli.mcp.place import Place
from memorycli.mcp.tool import Arguments, Tool, ToolError, flag, integer, string, strings


async def nothing(place: Place, given: Arguments) -> str:
    return ""


TOOL = Tool(
    "try_it",
    "",
    nothing,
    {
        "name": string(),
        "mood": string(choices=("good", "bad")),
        "ids": strings(most=3),
        "limit": integer(1, 9, 5),
        "all": flag(),
        "is_done": flag(),
    },
    ("name",),
)
DEFAULTS = {"limit": 5, "all": False, "is_done": False}


@pytest.mark.parametrize(
    ("arguments", "read"),
    [
        ({"name": "n"}, {}),
        ({"name": "n", "mood": None}, {}),
        ({"name": "n", "ids": "one"}, {"ids": ["one"]}),
        ({"name": "n", "limit": " 7"}, {"limit": 7}),
        ({"name": "n", "limit": 7.0}, {"limit": 7}),
        ({"name": "n", "limit": "7.0"}, {"limit": 7}),
        ({"name": "n", "limit": "null"}, {}),
        ({"name": "n", "limit": ""}, {}),
        ({"name": "n", "all": "true"}, {"all": True}),
        ({"name": "n", "all": " False"}, {"all": False}),
        ({"name": "n", "all": "null"}, {}),
        ({"name": "n", "mood": "null"}, {}),
        ({"name": "null"}, {"name": "null"}),
        ({"name": '["n"]'}, {"name": '["n"]'}),
        ({"name": "3.0"}, {"name": "3.0"}),
        ({"name": "n", "ids": '["a", "b"]'}, {"ids": ["a", "b"]}),
        ({"name": "n", "ids": ' ["a",\n"b\ud800"] '}, {"ids": ["a", "b\ufffd"]}),
        ({"name": "n", "ids": ['["a", "b"]']}, {"ids": ["a", "b"]}),
        ({"name": "n", "ids": '"a"'}, {"ids": ["a"]}),
        ({"name": "n", "ids": "null"}, {}),
        ({"name": "n", "ids": "a, b"}, {"ids": ["a, b"]}),
        ({"name": "n", "ids": "[draft] notes.md"}, {"ids": ["[draft] notes.md"]}),
        ({"name": "n", "ids": ["[id].tsx", "{a}"]}, {"ids": ["[id].tsx", "{a}"]}),
        ({"name": "n", "ids": [72, "73"]}, {"ids": ["72", "73"]}),
        ({"name": "n", "ids": "[72]"}, {"ids": ["72"]}),
        ({"name": "n", "ids": ["[72]"]}, {"ids": ["72"]}),
        ({"name": "n", "ids": 72}, {"ids": ["72"]}),
        ({"name": "n", "isDone": True}, {"is_done": True}),
        ({"name": "a\0b\ud800", "all": True}, {"name": "a\ufffdb\ufffd", "all": True}),
    ],
)
def test_arguments_are_read_as_they_are_meant(arguments: dict[str, object], read: dict[str, object]) -> None:
    assert checked(TOOL, arguments) == DEFAULTS | {"name": "n"} | read


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (None, "try_it needs name; its required arguments are name"),
        ([], "try_it takes an object of arguments"),
        ({"name": "n", "nmae": 1}, "try_it has no argument 'nmae'; it takes name, mood, ids, limit, all, is_done"),
        ({"name": "n", "mood": "bda"}, "mood cannot be 'bda'; did you mean bad? choose one of good, bad"),
        ({"name": "n", "limit": 10}, "limit must be from 1 to 9, not '10'"),
        ({"name": "n", "limit": 1.5}, "limit must be a whole number"),
        ({"name": "n", "limit": True}, "limit must be a whole number"),
        ({"name": "n", "all": "yes"}, "all must be true or false"),
        ({"name": "n", "limit": "1.5"}, "limit must be a whole number"),
        ({"name": "n", "limit": float("inf")}, "limit must be a whole number"),
        ({"name": "n", "limit": "[5]"}, "limit must be a whole number"),
        ({"name": "n", "all": 1}, "all must be true or false"),
        ({"name": "n", "is_done": True, "isDone": True}, "is_done is given twice, in two spellings; give it once"),
        ({"name": "n", "mood": '"good"'}, "mood cannot be '\"good\"'; did you mean good? choose one of good, bad"),
        ({"name": "n", "ids": "[]"}, "ids takes 1 to 3 texts, not 0"),
        ({"name": "n", "ids": '["a", 1.5]'}, "ids[1] must be a text"),
        ({"name": "n", "ids": '["a", ["b"]]'}, "ids[1] must be a text"),
        (
            {"name": "n", "ids": "['a', 'b']"},
            """ids could be a list or one text: "['a', 'b']"; send it as a JSON list of texts""",
        ),
        (
            {"name": "n", "ids": '["a", "b"'},
            """ids could be a list or one text: '["a", "b"'; send it as a JSON list of texts""",
        ),
        ({"name": "n", "ids": "[slug]"}, "ids could be a list or one text: '[slug]'; send it as a JSON list of texts"),
        ({"name": "n", "ids": "{}"}, "ids could be a list or one text: '{}'; send it as a JSON list of texts"),
        ({"name": "n", "ids": []}, "ids takes 1 to 3 texts, not 0"),
        ({"name": "n", "ids": ["a", True]}, "ids[1] must be a text"),
        ({"name": "n", "ids": True}, "ids must be a list of texts"),
        ({"name": 72}, "name must be a text"),
        ({"name": "n" * 200_001}, "name has 200001 characters, more than 200000; send only the relevant part"),
    ],
)
def test_wrong_argument_is_named_with_what_is_right(arguments: object, said: str) -> None:
    with pytest.raises(ToolError) as caught:
        checked(TOOL, arguments)

    assert str(caught.value) == said


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def _outcome(tool: Tool, arguments: object) -> tuple[Arguments | None, str]:
    try:
        return checked(tool, arguments), ""
    except ToolError as error:
        return None, str(error)


@given(st.sampled_from(catalogue.ALL), st.data())
def test_whatever_is_given_is_read_or_refused_in_a_sentence(tool: Tool, data: st.DataObject) -> None:
    names = st.sampled_from([*tool.properties, "other"])
    arguments = data.draw(json_values | st.dictionaries(names, json_values, max_size=5))

    read, said = _outcome(tool, arguments)

    assert len(said.splitlines()) <= 1
    assert len(said) < 1000
    if read is not None:
        jsonschema.validate(read, tool.input_schema)


@pytest.mark.parametrize(
    ("value", "decoded"),
    [(' {"a": "\\u0000"}', {"a": "\0"}), ("[1]", None), ("{", None), ("1", None), ("[" * 100_000, None)],
    ids=["object", "list", "broken off", "number", "deep"],
)
def test_object_is_read_from_its_json_text(value: str, decoded: dict[str, object] | None) -> None:
    assert json_object(value) == decoded
