"""What is remembered of folders that may be gone when somebody asks."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from memoryserver.client import sightings


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def seen(folder: str) -> tuple[str, str] | None:
    sighting = sightings.of(folder)
    return None if sighting is None else (sighting.main, sighting.key)


def test_folder_and_those_below_it_have_the_project_that_was_seen() -> None:
    sightings.record("/work/agent-1", "/work/shop", "github.com/acme/shop")

    assert seen("/work/agent-1") == seen("/work/agent-1/src/deep") == ("/work/shop", "github.com/acme/shop")
    assert (seen("/work/agent-10"), seen("/work"), seen("/")) == (None, None, None)


def test_nearest_folder_counts_and_the_last_sighting() -> None:
    sightings.record("/work", "/work", "all")
    sightings.record("/work/shop", "/work/shop", "old")
    sightings.record("/work/shop", "/work/shop", "shop")
    assert (seen("/work/shop/x"), seen("/work/y")) == (("/work/shop", "shop"), ("/work", "all"))


def test_same_sighting_is_written_again_after_a_day(home: Path) -> None:
    sightings.record("/work/shop", "/work/shop", "shop")
    (path,) = (home / "folders").iterdir()
    an_hour_ago, a_week_ago = time.time() - 3600, time.time() - 7 * 86_400
    os.utime(path, (an_hour_ago, an_hour_ago))
    sightings.record("/work/shop", "/work/shop", "shop")
    assert path.stat().st_mtime == pytest.approx(an_hour_ago)

    os.utime(path, (a_week_ago, a_week_ago))
    sightings.record("/work/shop", "/work/shop", "shop")
    assert path.stat().st_mtime > an_hour_ago


def test_oldest_half_goes_when_there_are_too_many(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sightings, "MAX_FOLDERS", 4)
    for number in range(4):
        sightings.record(f"/{number}", "", str(number))
        for path in (home / "folders").iterdir():
            os.utime(path, (path.stat().st_mtime - 10,) * 2)
    sightings.record("/4", "", "4")
    assert [seen(f"/{number}") for number in range(5)] == [None, None, ("", "2"), ("", "3"), ("", "4")]


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"folder": "/other", "main": "", "key": "x"}'])
def test_damaged_sighting_counts_as_none(content: bytes, home: Path) -> None:
    sightings.record("/work/shop", "", "shop")
    (path,) = (home / "folders").iterdir()
    path.write_bytes(content)
    assert seen("/work/shop") is None


def test_earlier_keys_are_remembered_until_one_is_stored_without() -> None:
    sightings.store(sightings.Sighting("git 7", "/work/shop", "new", ("old",), announced=True))
    seen = sightings.exact("git 7")
    assert seen is not None
    assert (seen.main, seen.key, seen.earlier, seen.announced) == ("/work/shop", "new", ("old",), True)
    sightings.store(sightings.Sighting("git 7", "/work/shop", "new"))
    seen = sightings.exact("git 7")

    assert seen is not None
    assert (seen.earlier, seen.announced, sightings.exact("git 8")) == ((), False, None)


def test_renamed_are_folders_of_the_project_and_of_one_whose_folder_is_gone(tmp_path: Path) -> None:
    main, other = tmp_path / "shop", tmp_path / "other"
    other.mkdir()
    for folder, place in (("/a", main), ("/b", tmp_path / "gone"), ("/c", other)):
        sightings.record(folder, str(place), "shop")
    sightings.record("/d", str(main), "cellar")
    sightings.rename("shop", "store", str(main))

    found = [seen(folder) for folder in ("/a", "/b", "/c", "/d")]
    assert [key for _, key in filter(None, found)] == ["store", "store", "shop", "cellar"]
