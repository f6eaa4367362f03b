"""`memory ghap` as an agent or a person types it."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from ghap.local import Domain, Strategy
from tests.support.laptops.laptop import Laptop

START = (
    *("ghap", "start", "--domain", "debugging", "--strategy", "read-the-error"),
    *("--goal", "Fix the cache", "--hypothesis", "It is stale", "--action", "Clear it", "--prediction", "It passes"),
)
RESOLVE = ("ghap", "resolve", "confirmed", "--result", "It passed")
ID = r"ghap_\d{8}_\d{6}_[0-9a-f]{6}"


def test_start_without_a_session_starts_one_and_says_so(memory: Laptop) -> None:
    said = memory(*START, "--check", "pytest -x")
    assert re.fullmatch(rf"started {ID} and session_\d{{8}}_\d{{6}}_[0-9a-f]{{6}}\n", said.out)
    entry = memory("ghap", "show", "--json").json()
    assert (entry["goal"], entry["check"]) == ("Fix the cache", "pytest -x")
    assert (memory.journal / ".gitignore").read_text() == "*\n"


def test_start_in_an_open_session_names_only_the_entry(memory: Laptop) -> None:
    memory("session", "start")
    assert re.fullmatch(rf"started {ID}\n", memory(*START).out)


def test_start_while_one_is_active_says_which_and_how_to_go_on(memory: Laptop) -> None:
    entry = memory(*START, "--json").json()
    said = memory(*START)
    assert (said.status, said.out) == (1, "")
    assert said.err == (
        f"memory: {entry['id']} of {entry['session_id']} is still active (Fix the cache); "
        "first: memory ghap resolve STATUS --result TEXT, or memory ghap abandon --reason TEXT\n"
    )


@pytest.mark.parametrize(
    ("option", "word", "said"),
    [
        ("--domain", "debuging", f"did you mean debugging? choose one of {', '.join(d.value for d in Domain)}"),
        ("--domain", "x", f"'x' is unknown; choose one of {', '.join(d.value for d in Domain)}"),
        (
            "--strategy",
            "read-error",
            f"did you mean read-the-error? choose one of {', '.join(s.value for s in Strategy)}",
        ),
    ],
)
def test_wrong_enum_value_is_answered_with_the_choices(option: str, word: str, said: str, memory: Laptop) -> None:
    answer = memory(*START, option, word)
    assert answer.status == 2
    assert answer.err.rstrip().endswith(said)
    assert not memory.journal.exists()


def test_enum_value_is_taken_in_the_spelling_of_its_name_too(memory: Laptop) -> None:
    assert memory(*START, "--strategy", "READ_THE_ERROR", "--json").json()["strategy"] == "read-the-error"


@pytest.mark.parametrize(
    "words",
    [
        ("ghap",),
        ("ghap", "begin"),
        ("ghap", "start"),
        ("ghap", "update"),
        ("ghap", "resolve", "done", "--result", "r"),
        ("ghap", "resolve", "confirmed"),
        ("ghap", "resolve", "falsified", "--result", "r", "--root-cause", "oversight"),
        ("ghap", "resolve", "falsified", "--result", "r", "--takeaway", "t"),
        ("ghap", "abandon"),
        ("ghap", "list", "--limit", "0"),
        ("ghap", "list", "--limit", "many"),
        ("ghap", "list", "--journal", ""),
        (*START, "--goal", " "),
        (*START, "--goal", "-"),
    ],
)
def test_wrong_usage_exits_with_2(words: tuple[str, ...], memory: Laptop) -> None:
    assert memory(*words).status == 2


@pytest.mark.parametrize(
    "words",
    [
        ("ghap", "update", "--note", "n"),
        RESOLVE,
        ("ghap", "abandon", "--reason", "r"),
        ("ghap", "adopt"),
        ("ghap", "abandon-orphan", "--reason", "r"),
        ("ghap", "show", "ghap_none"),
        (*START, "--goal", "@missing.txt"),
        (*START, "--goal", "@nul\0"),
        (*START, "--journal", "file"),
    ],
)
def test_what_cannot_be_done_exits_with_1_and_one_line(words: tuple[str, ...], memory: Laptop) -> None:
    (memory.project / "file").write_text("")
    said = memory(*words)
    assert (said.status, said.out) == (1, "")
    assert re.fullmatch(r"memory: [^\n]+\n", said.err)


def test_long_texts_come_from_standard_input_and_files(memory: Laptop) -> None:
    (memory.project / "plan ü.txt").write_bytes(b"\xef\xbb\xbfline one\nline two \xff\n")
    entry = memory(*START, "--goal", "-", "--action", "@plan ü.txt", "--check", "@@x", "--json", stdin=b"a\nb\n").json()
    assert (entry["goal"], entry["action"], entry["check"]) == ("a\nb", "line one\nline two \ufffd", "@x")


def test_standard_input_gives_one_text_only(memory: Laptop) -> None:
    said = memory(*START, "--goal", "-", "--action", "-", stdin=b"a")
    assert said.err == "memory: --action is empty (standard input was empty; it can be read once)\n"


def test_invalid_bytes_in_an_argument_become_replacement_characters(memory: Laptop) -> None:
    assert memory(*START, "--goal", "a\udcffb", "--json").json()["goal"] == "a\ufffdb"


def test_text_that_is_cut_is_noted_on_standard_error(memory: Laptop) -> None:
    said = memory(*START, "--goal", "x" * 10_001)
    assert said.status == 0
    assert said.err == "memory: note: goal has 10001 characters and was cut to the first 10000\n"


def test_secret_that_is_cut_is_noted_by_its_kind_and_once(memory: Laptop) -> None:
    said = memory(*START, "--goal", "get in with password=hunter2xyz", "--json")
    assert (said.status, json.loads(said.out)["goal"]) == (0, "get in with password=[redacted:password]")
    assert said.err == "memory: note: goal: cut out as secret: password; the rest is stored\n"
    assert memory("ghap", "update", "--note", "n").err == ""


def test_update_begins_an_iteration_or_adds_a_note(memory: Laptop) -> None:
    entry = memory(*START, "--json").json()
    assert memory("ghap", "update", "--note", "n").out == f"updated {entry['id']}, iteration 1\n"
    assert memory("ghap", "update", "--action", "b").out == f"updated {entry['id']}, iteration 2\n"
    assert memory("ghap", "update", "--strategy", "ask-user", "--json").json()["strategy"] == "ask-user"


def test_resolve_keeps_all_that_was_learned(memory: Laptop) -> None:
    memory(*START)
    entry = memory(
        *("ghap", "resolve", "falsified", "--result", "no", "--surprise", "s", "--root-cause", "timing issue"),
        *("--cause", "c", "--lesson", "w", "--takeaway", "t", "--json"),
    ).json()
    assert entry["outcome"]["status"] == "falsified"
    assert entry["root_cause"] == {"category": "timing-issue", "description": "c"}
    assert entry["lesson"] == {"what_worked": "w", "takeaway": "t"}
    assert entry["confidence_tier"] == "silver"
    assert memory("ghap", "show").out == "no GHAP entry is active; begin one with: memory ghap start\n"


def test_surprise_is_asked_about_as_a_learning_once(memory: Laptop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.path.dirname(sys.executable))
    entry = memory(*START, "--json").json()
    resolved = memory("ghap", "resolve", "falsified", "--result", "no", "--surprise", "There are two locks")
    amended = memory("ghap", "amend", "--surprise", "There are three locks")

    assert resolved.out == (
        f"resolved {entry['id']}: falsified\n"
        "If a later session would be glad to know of the surprise, store what is so, and\n"
        "why, in one sentence that can be understood alone: store_learning, or: memory\n"
        "learn --type gotcha 'SENTENCE'.\n"
    )
    assert amended.out == f"amended {entry['id']}\n"


def test_abandon_keeps_the_reason(memory: Laptop) -> None:
    memory(*START)
    assert memory("ghap", "abandon", "--reason", "r", "--json").json()["outcome"]["result"] == "r"


def test_orphan_is_shown_adopted_or_abandoned(memory: Laptop) -> None:
    entry = memory(*START, "--json").json()
    memory("session", "start")
    assert memory("ghap", "show").out.endswith(
        "\n\nAn earlier session left it: memory ghap adopt, or memory ghap abandon-orphan --reason TEXT\n"
    )
    adopted = memory("ghap", "adopt", "--json").json()
    assert adopted == entry | {"session_id": adopted["session_id"]}
    assert memory("ghap", "adopt").err == "memory: there is no entry of an earlier session to adopt\n"
    memory("session", "start")
    said = memory("ghap", "abandon-orphan", "--reason", "r")
    assert said.out == f"abandoned {entry['id']} of {adopted['session_id']}\n"


def test_list_gives_one_line_an_entry_and_the_newest_only(memory: Laptop) -> None:
    ids = []
    for _ in range(3):
        ids.append(memory(*START, "--json").json()["id"])
        memory(*RESOLVE)
    assert memory("ghap", "list").out == "".join(f"{one}  confirmed   1x  Fix the cache\n" for one in ids)
    assert [entry["id"] for entry in memory("ghap", "list", "--json", "--limit", "2").json()] == ids[1:]
    assert memory("ghap", "list", "--limit", "2").out.splitlines()[-1] == (
        "1 older entries are not shown; see them with --limit N"
    )
    memory("session", "end")
    assert memory("ghap", "list").out == (
        "no entries in this session; see those of earlier ones with: memory ghap list --all\n"
    )
    assert [entry["id"] for entry in memory("ghap", "list", "--all", "--json").json()] == ids
    assert memory("ghap", "show", ids[0], "--json").json()["id"] == ids[0]


@pytest.mark.parametrize("words", [("ghap", "show"), ("ghap", "list"), ("ghap", "list", "--all"), ("session", "show")])
def test_looking_makes_no_journal(words: tuple[str, ...], memory: Laptop) -> None:
    assert memory(*words).status == 0
    assert not (memory.project / ".claude").exists()


def test_json_of_nothing_is_null_and_an_empty_list(memory: Laptop) -> None:
    assert memory("ghap", "show", "--json").json() is None
    assert memory("ghap", "list", "--json").json() == []


def test_journal_of_another_folder_can_be_named(memory: Laptop, tmp_path: Path) -> None:
    memory(*START, "--journal", str(tmp_path / "elsewhere"))
    assert (tmp_path / "elsewhere/current_ghap.json").exists()
    assert not memory.journal.exists()


def test_help_teaches_by_example(memory: Laptop) -> None:
    said = memory("ghap", "start", "--help")
    assert said.status == 0
    assert "example:\n  memory ghap start --domain" in said.out
    assert all(domain.value in re.sub(r"\s+", " ", said.out).replace("- ", "-") for domain in Domain)


def test_show_says_the_same_as_json(memory: Laptop) -> None:
    memory(*START)
    memory("ghap", "update", "--hypothesis", "It is locked", "--note", "first note")
    said = memory("ghap", "show").out
    entry = json.loads(memory("ghap", "show", "--json").out)
    for text in (entry["goal"], entry["hypothesis"], entry["history"][0]["hypothesis"], "first note", entry["id"]):
        assert text in said


@pytest.mark.parametrize(
    "words",
    [
        ("ghap", "update", "--note", "n"),
        ("ghap", "resolve", "confirmed", "--result", "r"),
        ("ghap", "abandon", "--reason", "r"),
        ("ghap", "amend", "--note", "n"),
        ("ghap", "adopt"),
        ("ghap", "abandon-orphan", "--reason", "r"),
        ("ghap", "show"),
        ("ghap", "list"),
        ("session", "end"),
        ("session", "show"),
        ("status", "--offline"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_command_on_what_is_there_makes_no_journal(words: tuple[str, ...], memory: Laptop) -> None:
    said = memory(*words)
    assert ("Traceback" in said.err, (memory.project / ".claude").exists()) == (False, False)


def test_commands_that_need_an_entry_say_so_without_a_journal(memory: Laptop) -> None:
    none_active = "memory: no GHAP entry is active; begin one with: memory ghap start\n"
    none_resolved = "memory: no entry was resolved in this journal yet; begin one with: memory ghap start\n"
    assert (memory("ghap", "update", "--note", "n").status, memory("ghap", "update", "--note", "n").err) == (
        1,
        none_active,
    )
    assert memory("ghap", "resolve", "confirmed", "--result", "r").err == none_active
    assert memory("ghap", "amend", "--note", "n").err == none_resolved
    assert memory("ghap", "adopt").err == "memory: there is no entry of an earlier session to adopt\n"
    assert memory("session", "end").out == "no session was open\n"


def test_folders_without_version_control_have_one_journal_in_the_home_folder(
    memory: Laptop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plain" / "deep").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "plain")
    memory(*START)
    monkeypatch.chdir(tmp_path / "plain" / "deep")
    assert memory("ghap", "resolve", "confirmed", "--result", "r").status == 0
    assert (memory.home / "journal" / "session_entries.jsonl").exists()
    assert list((tmp_path / "plain").rglob("*")) == [tmp_path / "plain" / "deep"]


def test_update_with_an_empty_check_removes_it_and_says_so(memory: Laptop) -> None:
    entry = memory(*START, "--check", "make test", "--json").json()

    assert memory("ghap", "update", "--check", "").out == (
        f"updated {entry['id']}, iteration 1; its check is removed\n"
    )
    assert memory("ghap", "show", "--json").json().get("check") is None


def test_outcome_is_corrected_by_amend_and_the_earlier_one_is_kept(memory: Laptop) -> None:
    memory(*START)
    entry = memory(*RESOLVE, "--json").json()
    again = memory("ghap", "resolve", "falsified", "--result", "It failed later")
    assert again.status == 1
    assert again.err == (
        f"memory: no GHAP entry is active; the last one, {entry['id']} (Fix the cache), was resolved as confirmed; "
        f"to correct that: memory ghap amend {entry['id']} --status STATUS --result TEXT; "
        "for other work: memory ghap start\n"
    )
    amend = ("ghap", "amend", "--status", "falsified", "--result", "It failed later", "--note", "n", "--json")
    corrected = memory(*amend).json()
    assert (corrected["outcome"]["status"], corrected["notes"]) == ("falsified", ["n"])
    assert corrected["earlier_outcomes"] == [entry["outcome"]]
    assert memory("ghap", "amend", "--status", "falsified").status == 2
