"""The registry of sources, and the condition that a source's filters make."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from memoryserver.accounts.models import User
from memoryserver.search import sources
from memoryserver.search.sources import Filter, Source
from memoryserver.vectors.models import Record
from tests.memoryserver.search.notes import describe, put

SOURCE = Source(
    name="slips",
    collections={"notes_a": "first"},
    describe=describe,
    read=lambda *_: [],
    near=lambda *_: [],
    filters={"colour": Filter("paint"), "shape": Filter("form"), "place": Filter("path", prefix=True)},
)


@pytest.fixture
def registered() -> Iterator[None]:
    sources.register(SOURCE)
    yield
    del sources._sources["slips"]


def test_registered_source_is_listed_last_and_known_by_its_collection(registered: None) -> None:
    assert (sources.all_sources()[-1], sources.source_of("notes_a")) == (SOURCE, SOURCE)


def test_source_of_the_same_name_replaces_the_former(registered: None) -> None:
    other = replace(SOURCE, by_default=False)
    sources.register(other)

    assert [source for source in sources.all_sources() if source.name == "slips"] == [other]


def test_unknown_collection_is_a_key_error(registered: None) -> None:
    with pytest.raises(KeyError, match="nowhere"):
        sources.source_of("nowhere")


@pytest.mark.parametrize(
    ("values", "keys"),
    [
        ({}, ["a", "b", "c"]),
        ({"colour": "red"}, ["a", "b"]),
        ({"colour": "red", "shape": "round"}, ["a"]),
        ({"place": "src/"}, ["a"]),
        ({"place": "%"}, []),
        ({"colour": "red\x00"}, []),
    ],
    ids=["none", "one", "two", "prefix", "no wildcard", "NUL"],
)
def test_condition_selects_the_records_whose_payload_has_every_value(
    values: dict[str, str], keys: list[str], alice: User
) -> None:
    put(alice, "a", "text", paint="red", form="round", path="src/a.py")
    put(alice, "b", "text", paint="red", form="flat", path="tests/src/b.py")
    put(alice, "c", "text")

    records = Record.objects.filter(SOURCE.payload_condition(values))
    assert sorted(records.values_list("key", flat=True)) == keys


def test_unknown_filter_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="smell"):
        SOURCE.payload_condition({"smell": "good"})
