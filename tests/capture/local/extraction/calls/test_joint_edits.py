"""When files are known to be edited together, over one reading or several."""

from __future__ import annotations

import json

import pytest
from django.utils import timezone

from capture import models as captured
from capture.belief import rules
from capture.local.extraction.calls.joint_edits import JointEdits
from capture.local.extraction.learning import Learning
from capture.local.transcripts.messages import Kind, Message, Outcome, Role, ToolResult
from capture.local.transcripts.tools import use_of
from memoryserver.accounts.models import User
from memoryserver.common.redaction import redact

CWD = "/home/dev/shop"
TOKEN = "ghp_" + "a1B2" * 9
PAIR = (
    "`api.py` and `openapi.json` were edited together: "
    "each of the 3 commits of a session that changed one of them changed both."
)


class Session:
    """Edits files and commits; `reread` is the next reading of the transcript."""

    def __init__(self) -> None:
        self.index = 0
        self.joint_edits = JointEdits({})
        self.learnings: list[Learning] = []

    def edited(self, *names: str, outcome: Outcome = Outcome.OK) -> None:
        for name in names:
            self._called("Edit", {"file_path": f"{CWD}/{name}", "old_string": "a", "new_string": "b"}, outcome)

    def committed(self, *names: str, command: str = "git commit -m x", outcome: Outcome = Outcome.OK) -> list[str]:
        self.edited(*names)
        return self._called("Bash", {"command": command}, outcome)

    def reread(self) -> None:
        self.joint_edits = JointEdits(json.loads(json.dumps(self.joint_edits.memory())))

    def _called(self, tool: str, arguments: dict[str, str], outcome: Outcome) -> list[str]:
        self.index += 1
        message = Message(self.index, Role.TOOL, Kind.TOOL_RESULT, "", cwd=CWD)
        result = ToolResult(use_of("c", tool, arguments, CWD), outcome, "")
        learnings = self.joint_edits.record_result(message, result, lambda text: redact(text).text)
        self.learnings += learnings
        return [learning.content for learning in learnings]


@pytest.fixture
def session() -> Session:
    return Session()


def test_files_that_three_commits_changed_together_are_known_once_another_commit_went_without_them(
    session: Session,
) -> None:
    contents = [
        session.committed("api.py", "openapi.json"),
        session.committed("api.py", "views.py", "openapi.json"),
        session.committed("README.md"),
        session.committed("openapi.json", "api.py"),
        session.committed("openapi.json", "api.py"),
    ]

    assert contents == [[], [], [], [PAIR], []]


def test_three_files_are_named_in_one_learning(session: Session) -> None:
    session.committed("README.md")
    for _ in range(2):
        session.committed("a.py", "b.py", "c.py")

    assert session.committed("a.py", "b.py", "c.py") == [
        (
            "`a.py`, `b.py` and `c.py` were edited together: "
            "each of the 3 commits of a session that changed one of them changed all of them."
        )
    ]


@pytest.mark.parametrize(
    "names",
    [
        ("shop/api.py", "tests/shop/test_api.py"),
        ("cart.ts", "cart.spec.ts"),
        ("src/__tests__/cart.js", "src/cart.js"),
        ("package.json", "package-lock.json"),
        ("pyproject.toml", "uv.lock"),
        ("go.mod", "go.sum"),
        ("pnpm-lock.yaml", "package.json", "cart.test.ts"),
    ],
    ids=lambda names: names[1],
)
def test_module_with_its_tests_or_lock_file_goes_without_saying(session: Session, names: tuple[str, ...]) -> None:
    session.committed("README.md")

    assert [session.committed(*names) for _ in range(4)] == [[]] * 4


def test_confidence_is_too_low_for_a_context_however_often_it_is_seen(session: Session, alice: User) -> None:
    session.committed("README.md")
    for _ in range(3):
        session.committed("api.py", "openapi.json")
    (learning,) = session.learnings
    now = timezone.now()

    captured.Learning.objects.create(
        user=alice,
        type=learning.type,
        content=learning.content,
        source=learning.source,
        confidence=learning.confidence,
        seen_count=50,
        first_seen=now,
        last_seen=now,
    )

    assert rules.leading(captured.Learning.objects.all()).believed == []


def test_file_that_was_once_changed_without_the_other_is_not_of_the_group(session: Session) -> None:
    session.committed("README.md")
    session.committed("api.py")

    assert [session.committed("api.py", "openapi.json") for _ in range(4)] == [[]] * 4


@pytest.mark.parametrize(
    "command", ["git -C /home/dev/shop commit -qam x", "git add -A && git commit -m x", "make check; git commit"]
)
def test_commit_is_recognised_in_any_form(session: Session, command: str) -> None:
    session.committed("README.md")
    contents = [session.committed("api.py", "openapi.json", command=command) for _ in range(3)]

    assert contents == [[], [], [PAIR]]


def test_neither_failed_edits_nor_what_commits_nothing_counts(session: Session) -> None:
    session.committed("README.md")
    for _ in range(3):
        session.edited("openapi.json", outcome=Outcome.FAILED)
        assert session.committed("api.py") == []
        assert session.committed("api.py", "openapi.json", outcome=Outcome.FAILED) == []
        assert session.committed(command="git commit --dry-run") == []
        assert session.committed(command="git log --grep 'git commit'") == []


def test_files_of_a_whole_folder_and_outside_of_the_project_are_no_group(session: Session) -> None:
    session.committed("README.md")
    contents = [session.committed(*"abcde") for _ in range(3)]
    contents += [session.committed("../other/x.py", "../other/y.py") for _ in range(3)]

    assert contents == [[]] * 6


def test_several_readings_learn_the_same_as_one(session: Session) -> None:
    contents = []
    for names in (["README.md"], *[["api.py", "openapi.json"]] * 4):
        for name in names:
            session.edited(name)
            session.reread()
        contents.append(session.committed())
        session.reread()

    assert contents == [[], [], [], [PAIR], []]


def test_secret_in_a_name_is_not_stored(session: Session) -> None:
    session.committed("README.md")
    contents = [session.committed("api.py", f"{TOKEN}.json") for _ in range(3)]

    assert TOKEN not in json.dumps([contents, session.joint_edits.memory()])
    assert len(contents[-1]) == 1
