"""What shell commands are for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryserver.common import shell_purpose


@pytest.mark.parametrize(
    ("command", "waits", "changes", "only_looks"),
    [
        ("sleep 30 && tail -1 log", True, False, False),
        ("gh run view 7", True, False, False),
        ("while ! curl -s localhost:8000/health; do sleep 1; done", True, False, False),
        ("cat sleep.log", False, False, True),
        ("cd src && git log -3 | head", False, False, True),
        ("sed -i s/a/b/ x.py", False, True, False),
        ("echo x > a.txt", False, True, False),
        ("grep '>' a.txt", False, False, True),
        ("make 2>&1", False, True, False),
        ("pytest -q 2>/dev/null", False, False, False),
        ("sudo git commit -m 'sleep 3'", False, True, False),
        ("python a.py", False, False, False),
        ("", False, False, False),
    ],
)
def test_what_a_command_is_for(command: str, waits: bool, changes: bool, only_looks: bool) -> None:
    found = shell_purpose.waits(command), shell_purpose.changes(command), shell_purpose.only_looks(command)
    assert found == (waits, changes, only_looks)


@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "cd src",
        "export CI=1",
        "set -euo pipefail",
        "A=1",
        "cd a && export B=1 && cat c",
        "source .venv/bin/activate && pip --version",
        "sed -n 1,20p a.py",
        "awk '{print $1}' a | sort | uniq -c",
        "find . -name '*.py' -exec grep -n x {} +",
        "git ls-files | xargs -n 1 wc -l",
        "find . -name '*.py' | xargs",
        "git -C a log --oneline",
        "git branch -a",
        "git stash list",
        "git remote -v",
        "git push --dry-run",
        "pytest --collect-only -q",
        "cargo --help",
        "rm --help",
        "tool -h",
        "command -v node",
        "ls 2>/dev/null",
        "ls 2>&1 >/dev/null",
        "ls 2> errors.txt",
        "bash -c 'ls | head'",
        "for f in *.py; do head -1 $f; done",
        "if [ -f a ]; then cat a; fi",
        "cat <<X\nrm -rf a > b\nX",
        "test a || true",
        "ls  # > not a redirection",
    ],
)
def test_command_whose_every_part_reads_only_looks(command: str) -> None:
    assert shell_purpose.only_looks(command)
    assert not shell_purpose.changes(command)


@pytest.mark.parametrize(
    "command",
    [
        "",
        "   ",
        "make && ls",
        "ls && python a.py",
        "source ./deploy.sh",
        "psql -h localhost",
        "tool -h name",
        "sleep 3",
        "cat a > b",
        "cat a >> b",
        "cat a >| b",
        "ls &> b",
        "ls >& b",
        "cat > a <<X\ntext\nX",
        "bash -c 'ls' > b",
        "bash -lc 'rm a'",
        "sed -i.bak s/a/b/ x",
        "sed -Ei s/a/b/ x",
        "find . -delete",
        "find . -exec rm {} ;",
        "ls | xargs -n 1 rm",
        "git branch -D a",
        "git branch new",
        "git remote add a b",
        "git stash",
        "sudo -u me tee a",
        "pytest",
    ],
)
def test_command_with_a_part_that_does_more_does_not_only_look(command: str) -> None:
    assert not shell_purpose.only_looks(command)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("pip install x", True),
        ("python3 -m pip install x", True),
        ("docker -f a compose up", True),
        ("tar xzf a.tgz", True),
        ("tar tzf a.tgz", False),
        ("ruff check --fix .", True),
        ("ruff check .", False),
        ("perl -pi -e s/a/b/ x", True),
        ("timeout 5 git -C x commit -m y", True),
        ("git worktree add x", True),
        ("echo 'git commit'", False),
        ("make", True),
        ("make -C app run", False),
        ("make run-all", True),
        ("echo a > /dev/null", False),
        ("pip install 'a>=1'", True),
        ("echo 'a > b'", False),
    ],
)
def test_change_is_known_by_program_verb_and_redirection(command: str, expected: bool) -> None:
    assert shell_purpose.changes(command) is expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("sleep 1; gh pr checks 3", True),
        ("kubectl -n x rollout status deploy/a", True),
        ("aws ec2 wait instance-running", True),
        ("gcloud run services describe a", True),
        ("until curl -s example.org/ready; do sleep 1; done", True),
        ("curl -s example.org/data", False),
        ("sleep 5 && make", False),
        ("echo sleep", False),
    ],
)
def test_wait_is_known_where_nothing_else_is_done(command: str, expected: bool) -> None:
    assert shell_purpose.waits(command) is expected


@pytest.mark.parametrize(
    "command",
    [
        "pytest",
        "cd x && .venv/bin/pytest -q | tail",
        "python -m unittest discover",
        "python3.12 -m pytest tests",
        "python manage.py test shop",
        "npm test",
        "pnpm run test:unit",
        "yarn build",
        "npx vitest run",
        "cargo test",
        "go build ./...",
        "make",
        "CI=1 ./gradlew check",
        "dotnet test",
        "uv run pytest",
        "./run_tests.sh --fast",
        "time mvn verify",
        "tsc --noEmit",
    ],
)
def test_program_of_a_test_or_build_is_known(command: str) -> None:
    assert shell_purpose.runs_tests_or_build(command)


@pytest.mark.parametrize(
    "command",
    [
        "uv run black tests",
        "grep pytest a",
        "echo make",
        "npm install",
        "git commit -m 'make test'",
        "python a.py",
        "make run",
        "",
    ],
)
def test_other_command_is_no_test_run(command: str) -> None:
    assert not shell_purpose.runs_tests_or_build(command)


@given(st.text() | st.text("ab '\"\\$`#&|;<>()-=\n", max_size=30))
def test_command_that_only_looks_neither_changes_nor_is_empty(command: str) -> None:
    if shell_purpose.only_looks(command):
        assert command.strip()
        assert not shell_purpose.changes(command)
    assert shell_purpose.waits(command) in (True, False)
    assert shell_purpose.runs_tests_or_build(command) in (True, False)
